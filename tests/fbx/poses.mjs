/* node poses.mjs WORK JOINTS FOLDER...: where the joints of every FBX file in the folders are, at rest and at five keyframes of each
 * clip, and the box around all points, are those of three.js' FBXLoader, to 1e-4 of the size.
 *
 * three.js leaves out axes and units: it turns the scene by one of them, and so does not turn here. What we have is taken
 * back to the axes and units that the file's own text says. */
import {spawnSync} from 'node:child_process';
import {readFileSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [work, joints, ...folders] = process.argv.slice(2).map(path => resolve(path));
const LEAST = 1e-4;
/* Between two keys of a rotation, which FBX has as three angles: three.js turns the shortest way. */
const LEAST_BETWEEN = 2e-2;

/* Where three.js is wrong, and what of it. */
const EXPLAINED = [
    [/anims_with_full_rotations_between_keys\.fbx$/, /./, 'three.js loses whole turns between two keys'],
    [/multiple_animations_test\.fbx$/, /^spin$/, 'three.js loses whole turns between two keys'],
];

/* The loader, less the turn, less its shortcut for a single node, less what it fails on and nothing here needs (colours, texture
 * coordinates); with names that differ, for it finds what a clip moves by them; and with the tree of the file. */
const jsm = join(work, 'node_modules/three/examples/jsm');
const changes = [
    ['sceneGraph.children.length === 1 &&', 'false &&'],
    ['if ( upAxis === 2 )', 'if ( false )'],
    ['if ( geoNode.LayerElementColor &&', 'if ( false &&'],
    ['if ( geoNode.LayerElementUV )', 'if ( false )'],
    ["model.name = node.attrName ? PropertyBinding.sanitizeNodeName( node.attrName ) : ''", 'model.name = `n${ id }`'],
    ["bone.name = name ? PropertyBinding.sanitizeNodeName( name ) : ''", 'bone.name = `n${ id }`'],
    ["modelName: rawModel.attrName ? PropertyBinding.sanitizeNodeName( rawModel.attrName ) : ''", 'modelName: `n${ rawModel.id }`'],
];
let text = readFileSync(join(jsm, 'loaders/FBXLoader.js'), 'utf8');
for (const [from, to] of changes) {
    if (!text.includes(from))
        throw new Error(`FBXLoader has no '${from}'`);
    text = text.replaceAll(from, to);
}
writeFileSync(join(jsm, 'loaders/FBXLoaderAsWritten.js'), `${text}\nexport const lastTree = () => fbxTree;\n`);
globalThis.window = globalThis;
globalThis.document = {createElementNS: () => ({style: {}, addEventListener() {}, removeEventListener() {}})};
/* It takes four weights a point, we eight: then points differ, and only joints are compared. */
let dropsWeights = false;
console.warn = console.error = text => dropsWeights ||= /more than 4 skinning weights/.test(text);
const THREE = await import(pathToFileURL(join(work, 'node_modules/three/build/three.module.js')));
const {FBXLoader, lastTree} = await import(pathToFileURL(join(jsm, 'loaders/FBXLoaderAsWritten.js')));

/* -- theirs ------------------------------------------------------------------------------------------------------------------ */

/* Nodes by the names on the way to them; those of one name and parent by their order. */
function nodesOf(root) {
    const nodes = new Map();
    const visit = (node, path) => {
        const seen = {};
        for (const child of node.children) {
            if (child.ID === undefined)
                continue; /* of three's own making */
            if (child.ID === node.ID) {
                visit(child, path); /* a bone of several meshes is there several times */
                continue;
            }
            const name = child.userData.originalName ?? '';
            const number = seen[name] = (seen[name] ?? 0) + 1;
            const childPath = `${path}/${name}${number > 1 ? `*${number}` : ''}`;
            if (!child.isLight) /* three.js moves some of these by (0, 1, 0) */
                nodes.set(childPath, child);
            visit(child, childPath);
        }
    };
    visit(root, '');
    return nodes;
}

function poseOf(root) {
    const point = new THREE.Vector3(), box = new THREE.Box3();
    root.updateMatrixWorld(true);
    root.traverse(node => {
        if (node.isSkinnedMesh)
            node.skeleton.update();
        if (node.isMesh)
            for (let i = 0; i < node.geometry.attributes.position.count; i++)
                box.expandByPoint(node.getVertexPosition(i, point).applyMatrix4(node.matrixWorld));
    });
    return box;
}

/* -- ours -------------------------------------------------------------------------------------------------------------------- */

/* As nodesOf. */
function numbersOf(list) {
    const numbers = new Map(), paths = [], seen = new Map();
    list.forEach(([name, parent], number) => {
        const key = `${paths[parent] ?? ''}/${name}`, times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        paths[number] = `${key}${times > 1 ? `*${times}` : ''}`;
        numbers.set(paths[number], number);
    });
    return numbers;
}

/* From our space, Z up and X forward, in metres, to the file's. */
function toFile(settings) {
    const of = (key, other) => settings?.[key]?.value ?? other;
    const axis = (key, other, otherSign) => new THREE.Vector3().setComponent(of(key, other), of(`${key}Sign`, otherSign));
    const up = axis('UpAxis', 1, 1), front = axis('FrontAxis', 2, 1), left = new THREE.Vector3().crossVectors(up, front);
    const scale = 100 / of('UnitScaleFactor', 1);
    return ([x, y, z]) => new THREE.Vector3().addScaledVector(front, x).addScaledVector(left, y).addScaledVector(up, z).multiplyScalar(scale);
}

function boxOf(pose, place) {
    const box = new THREE.Box3();
    for (const x of [pose.least[0], pose.most[0]])
        for (const y of [pose.least[1], pose.most[1]])
            for (const z of [pose.least[2], pose.most[2]])
                box.expandByPoint(place([x, y, z]));
    return box;
}

/* -- Comparison ---------------------------------------------------------------------------------------------------------------- */

const problems = [], said = [];
let files = 0, poses = 0, places = 0, worst = 0, looseCount = 0, between = 0;

function compare(file) {
    const bytes = readFileSync(file);
    let root;
    dropsWeights = false;
    try {
        root = new FBXLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
    } catch (error) {
        return said.push(`${file}: three.js: ${error.message}`);
    }
    const {status, stdout, stderr} = spawnSync(joints, [file], {encoding: 'utf8', maxBuffer: 1 << 28});
    if (status !== 0)
        return problems.push(`${file}: ${stderr.trim()}`);
    const ours = JSON.parse(stdout), place = toFile(lastTree().GlobalSettings);
    const nodes = nodesOf(root), numbers = numbersOf(ours.joints);
    const missing = [...nodes.keys()].filter(path => !numbers.has(path));
    if (missing.length)
        problems.push(`${file}: we lack ${missing.length} of ${nodes.size} nodes: ${missing[0]}`);
    files++;

    const check = (what, pose, isLoose = () => false) => {
        const box = poseOf(root), at = new THREE.Vector3(), size = new THREE.Vector3(), all = box.clone();
        const found = [];
        for (const [path, node] of nodes)
            if (numbers.has(path))
                found.push([path, node.getWorldPosition(at).clone(), place(pose.joints[numbers.get(path)])]);
        for (const [, theirs] of found)
            all.expandByPoint(theirs);
        const whole = Math.max(all.getSize(size).length(), 1e-6);
        let most = 0, name, count = 0;
        const take = (path, a, b) => {
            const off = a.distanceTo(b) / whole;
            if (isLoose(path)) {
                between = Math.max(between, off);
                looseCount++;
                if (off <= LEAST_BETWEEN)
                    return;
            }
            count += off > LEAST;
            places++;
            if (!(off <= most))
                [most, name] = [off, path];
        };
        for (const [path, theirs, mine] of found)
            take(path, theirs, mine);
        if (pose.least && !box.isEmpty() && !dropsWeights && !found.some(([path]) => isLoose(path))) {
            const mine = boxOf(pose, place);
            take('the box', box.min, mine.min);
            take('the box', box.max, mine.max);
        }
        poses++;
        worst = most <= LEAST ? Math.max(worst, most) : worst;
        const explained = EXPLAINED.find(([file_, clip]) => file_.test(file) && clip.test(what.replace(/ at .*/, '')))?.[2];
        if (!(most <= LEAST))
            (explained ? said : problems).push(explained ? `${file}: ${what}: ${explained}` : `${file}: ${what}: ${count} of ${found.length} places are off, ${name} by ${most.toExponential(1)} of the size`);
        return most <= LEAST;
    };

    check('bind', ours.bind);
    const stacks = Object.values(lastTree().Objects.AnimationStack ?? {});
    const byName = new Map(root.animations.map(clip => [clip.name, clip]));
    for (const clip of ours.clips) {
        if (!clip)
            continue;
        const theirs = [...byName.values()].find(({name}) => cleaned(name) === cleaned(clip.name)) ?? (root.animations.length === 1 ? root.animations[0] : null);
        if (!theirs) {
            said.push(`${file}: three.js has no clip '${clip.name}'`);
            continue;
        }
        const stack = stacks.find(({attrName}) => attrName === theirs.name);
        const start = (stack?.LocalStart?.value ?? 0) / 46186158000, times = theirs.tracks.flatMap(({times}) => [...times]).filter(time => time > start - 1e-6);
        const first = times.length ? Math.min(...times) : start;
        for (const [time_s, pose] of clip.poses) {
            const mixer = new THREE.AnimationMixer(root), action = mixer.clipAction(theirs);
            action.setLoop(THREE.LoopOnce);
            action.clampWhenFinished = true;
            action.play();
            mixer.setTime(first + time_s);
            const at = first + time_s, hasKey = new Map(theirs.tracks.filter(({name}) => name.endsWith('.quaternion')).map(({name, times}) =>
                [name.slice(0, -'.quaternion'.length), times.some(time => Math.abs(time - at) < 1e-4) || at < times[0] || at > times.at(-1)]));
            const isLoose = path => {
                for (let node = nodes.get(path); node; node = node.parent)
                    if (hasKey.get(node.name) === false)
                        return true;
                return false;
            };
            const isRight = check(`${clip.name} at ${time_s.toFixed(3)} s`, pose, isLoose);
            mixer.stopAllAction();
            if (!isRight)
                break;
        }
    }
}

const cleaned = name => name.replace(/[^A-Za-z0-9]+/g, '');

for (const folder of folders)
    for (const path of statSync(folder).isDirectory() ? readdirSync(folder, {recursive: true}).sort().map(name => join(folder, name)) : [folder])
        if (/\.fbx$/i.test(path))
            compare(path);
console.log(`${problems.length || !files ? 'FAILED' : 'ok'}  poses of three.js: ${files} files, ${poses} poses, ${places} places, at most ${worst.toExponential(1)} of the size off; ${looseCount} between keys, at most ${between.toExponential(1)}`);
for (const line of [...problems, ...said])
    console.log(`    ${line}`);
process.exit(problems.length || !files ? 1 : 0);
