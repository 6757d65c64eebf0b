/* node validator.mjs MODULES SHEETBAKE SPROUT FOLDER...: changes of the sprout that break it, and files of the folders, are
 * errors for Khronos' validator and for us, or for neither. */
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';

const [modules, sheetbake, sprout, ...folders] = process.argv.slice(2).map(path => resolve(path));
const validator = createRequire(join(modules, 'x.js'))('gltf-validator');

/* What we draw all the same, because nothing that is drawn depends on it, or as all viewers do. */
const FORGIVEN = new Set([
    'ACCESSOR_VECTOR3_NON_UNIT', 'ACCESSOR_MIN_MISMATCH', 'ACCESSOR_MAX_MISMATCH', 'MESH_PRIMITIVE_NO_TANGENT_SPACE',
    'MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS', 'MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE', 'TYPE_MISMATCH',
    'MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY', 'MESH_PRIMITIVE_TOO_FEW_TEXCOORDS',
]);
/* And what is no mistake of a file, but nothing that we could draw. */
const OURS = /no triangles|requires the extension|no such file|nothing is downloaded/;

/* Its buffer is cut off behind all that is drawn. */
const UNREAD = /IncorrectVertexArrays.Cube\.gltf$/;

let checks = 0;
const problems = [];

async function compare(what, path, bytes) {
    const report = await validator.validateBytes(new Uint8Array(bytes), {
        maxIssues: 0, externalResourceFunction: uri => Promise.resolve(new Uint8Array(readFileSync(join(dirname(path), decodeURIComponent(uri))))),
    }).catch(error => ({issues: {messages: [{severity: 0, code: `${error}`}]}}));
    const errors = report.issues.messages.filter(({severity, code}) => severity === 0 && !FORGIVEN.has(code) &&
        !(UNREAD.test(what) && code === 'BUFFER_VIEW_TOO_LONG')).map(({code}) => code);
    const {status, stderr} = spawnSync(sheetbake, ['info', path], {encoding: 'utf8'});
    checks++;
    if (status !== 0 && status !== 2)
        problems.push(`${what}: info ended with ${status}: ${stderr}`);
    if (errors.length && status === 0)
        problems.push(`${what}: we read it, but the validator says ${[...new Set(errors)]}`);
    if (!errors.length && !report.issues.messages.some(({severity}) => severity === 0) && status !== 0 && !OURS.test(stderr))
        problems.push(`${what}: the validator finds no error, but we say ${stderr.trim()}`);
    return errors.length > 0;
}

/* -- The sprout, broken in many ways ----------------------------------------------------------------------------------- */

const original = readFileSync(sprout), size = original.readUInt32LE(12);
const parse = () => JSON.parse(original.subarray(20, 20 + size).toString());

function glb(json) {
    const text = Buffer.from(JSON.stringify(json)), padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
    const head = Buffer.alloc(20), rest = original.subarray(20 + size);
    head.write('glTF');
    [2, 20 + padded.length + rest.length, padded.length].forEach((word, i) => head.writeUInt32LE(word, 4 + 4 * i));
    head.write('JSON', 16);
    return Buffer.concat([head, padded, rest]);
}

const BREAKS = {
    'a version': g => g.asset.version = '3.0',
    'a loop of nodes': g => g.nodes[4].children.push(2),
    'two parents': g => g.nodes[0].children.push(3),
    'a child that is none': g => g.nodes[0].children.push(99),
    'a root that is none': g => g.scenes[0].nodes.push(99),
    'a mesh that is none': g => g.nodes[5].mesh = 99,
    'a skin that is none': g => g.nodes[1].skin = 99,
    'a joint that is none': g => g.skins[0].joints[0] = 99,
    'fewer joints than points name': g => g.skins[0].joints.pop(),
    'an accessor that is none': g => g.meshes[0].primitives[0].attributes.NORMAL = 99,
    'a material that is none': g => g.meshes[0].primitives[0].material = 99,
    'a texture that is none': g => g.materials[2].pbrMetallicRoughness.baseColorTexture.index = 99,
    'a picture that is none': g => g.textures[0].source = 99,
    'a bufferView that is none': g => g.accessors[0].bufferView = 99,
    'a buffer that is none': g => g.bufferViews[0].buffer = 99,
    'a bufferView past the end': g => g.bufferViews[0].byteOffset = 1e6,
    'an accessor past the end': g => g.accessors[0].count *= 2,
    'a buffer past the end': g => g.buffers[0].byteLength *= 2,
    'a type of components': g => g.accessors[0].componentType = 5124,
    'a type of elements': g => g.accessors[0].type = 'VEC2',
    'counts that differ': g => g.accessors[1].count -= 1,
    'indices past the end': g => g.accessors[0].count = g.accessors[1].count = g.accessors[2].count = g.accessors[3].count =
        g.accessors[4].count = g.accessors[5].count = 10,
    'an input that is none': g => g.animations[0].samplers[0].input = 99,
    'too few values': g => g.accessors[g.animations[0].samplers[0].output].count -= 1,
    'values of another width': g => g.animations[0].samplers[0].output = g.animations[0].samplers[0].input,
    'a required extension': g => (g.extensionsUsed.push('ODD_one'), g.extensionsRequired = ['ODD_one']),
    'a rotation of zeros': g => g.nodes[3].rotation = [0, 0, 0, 0],
    'a matrix of 15': g => g.nodes[0].matrix = Array(15).fill(0),
};

const work = mkdtempSync(join(tmpdir(), 'gltf.'));
const path = join(work, 'model.glb');
for (const [what, change] of Object.entries({nothing: () => {}, ...BREAKS})) {
    const json = parse();
    change(json);
    const bytes = glb(json);
    writeFileSync(path, bytes);
    const isBroken = await compare(what, path, bytes);
    if (what !== 'nothing' && what !== 'a required extension' && !isBroken)
        problems.push(`${what}: the validator finds no error`);
    if (what !== 'nothing' && spawnSync(sheetbake, ['info', path]).status !== 2)
        problems.push(`${what}: we find no error`);
}
for (let length = 0; length < original.length; length += 997) {
    writeFileSync(path, original.subarray(0, length));
    await compare(`cut at ${length}`, path, original.subarray(0, length));
}
rmSync(work, {recursive: true});

/* -- Files of others ----------------------------------------------------------------------------------------------------- */

for (const folder of folders)
    for (const entry of readdirSync(folder, {recursive: true, withFileTypes: true}))
        if (/\.(gltf|glb)$/.test(entry.name))
            await compare(join(entry.parentPath, entry.name), join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name)));

console.log(`${problems.length ? 'FAILED' : 'ok'}  gltf-validator: ${checks} files`);
for (const text of problems)
    console.log(`    ${text}`);
process.exit(problems.length ? 1 : 0);
