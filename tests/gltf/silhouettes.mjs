/* node silhouettes.mjs WORK SHEETBAKE CHROMIUM FOLDER...: three.js draws the models in the folders from the side that we draw
 * them from, at rest and in the middle of their first clip, in white. Where a picture has something and the other has nothing,
 * more than a pixel from an outline, they differ. Pictures of those are left in WORK/silhouettes: red is ours alone, blue
 * three's. */
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, extname, join, resolve} from 'node:path';

const [work, sheetbake, executablePath, ...folders] = process.argv.slice(2).map(path => resolve(path));
const modules = join(work, 'node_modules'), puppeteer = createRequire(join(modules, 'x.js'))('puppeteer-core');
const SIZE = 256, YAW = 40, PITCH = 25;

const PAGE = `<!DOCTYPE html><script type="importmap">{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}</script>
<script type="module">
import * as THREE from 'three';
import {GLTFLoader} from 'three/addons/loaders/GLTFLoader.js';
import {DRACOLoader} from 'three/addons/loaders/DRACOLoader.js';
const renderer = new THREE.WebGLRenderer({antialias: false, preserveDrawingBuffer: true});
renderer.setSize(${SIZE}, ${SIZE});
/* White wherever there is something. */
function whiten({side, map, opacity, transparent, alphaTest}) {
    const white = new THREE.MeshBasicMaterial({side, map, opacity, alphaTest: alphaTest || (transparent ? 0.02 : 0)});
    white.onBeforeCompile = shader => shader.fragmentShader =
        shader.fragmentShader.replace('#include <opaque_fragment>', 'gl_FragColor = vec4(1.0);');
    return white;
}
const draco = new DRACOLoader().setDecoderPath('/three/examples/jsm/libs/draco/gltf/');
window.draw = async ({url, width, left, top, clip, time_s}) => {
    const gltf = await new GLTFLoader().setDRACOLoader(draco).loadAsync(url);
    const scene = new THREE.Scene();
    scene.add(gltf.scene);
    gltf.scene.traverse(node => {
        if (node.isPoints || node.isLine)
            node.visible = false;
        else if (node.isMesh)
            node.material = whiten(node.material);
        node.frustumCulled = false;
    });
    if (clip !== null) {
        const mixer = new THREE.AnimationMixer(gltf.scene);
        mixer.clipAction(gltf.animations[clip]).play();
        /* Our clips begin with their first key. */
        mixer.setTime(time_s + Math.min(...gltf.animations[clip].tracks.map(track => track.times[0])));
    }
    const camera = new THREE.OrthographicCamera(left, left + width, top, top - width, -1e4 * width, 1e4 * width);
    camera.rotation.set(${-PITCH} * Math.PI / 180, ${YAW} * Math.PI / 180, 0, 'YXZ');
    renderer.setClearColor(0, 1);
    renderer.render(scene, camera);
    const gl = renderer.getContext(), pixels = new Uint8Array(${SIZE * SIZE * 4});
    gl.readPixels(0, 0, ${SIZE}, ${SIZE}, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let mask = '';
    for (let y = ${SIZE} - 1; y >= 0; y--)
        for (let x = 0; x < ${SIZE}; x++)
            mask += pixels[(y * ${SIZE} + x) * 4] ? 1 : 0;
    return mask;
};
window.isReady = true;
</script>`;

const TYPES = {'.js': 'text/javascript', '.wasm': 'application/wasm', '.gltf': 'model/gltf+json'};
const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const file = path.startsWith('/three/') ? join(modules, path) : path.startsWith('/file/') ? path.slice(5) : null;
    try {
        const body = path === '/' ? PAGE : readFileSync(file);
        response.writeHead(200, {'Content-Type': path === '/' ? 'text/html' : TYPES[extname(path)] ?? 'application/octet-stream'}).end(body);
    } catch {
        response.writeHead(404).end();
    }
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const browser = await puppeteer.launch({executablePath, headless: true, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']});
const tab = await browser.newPage();
const said = [];
tab.on('pageerror', error => said.push(`${error}`));
await tab.goto(`http://127.0.0.1:${server.address().port}/`);
await tab.waitForFunction('window.isReady', {timeout: 60000});

const list = mkdtempSync(join(tmpdir(), 'silhouettes.'));
const failures = join(work, 'silhouettes');
rmSync(failures, {recursive: true, force: true});
const problems = [];
let checks = 0;

/* Our own mask, and what a camera needs to see the same. */
function drawOurs(file, clip, time_s) {
    const job = {name: 'job', model: file.slice(file.lastIndexOf('/') + 1), cell: SIZE, supersample: 1, light: 'flat',
        cameras: [{name: 'c', yaw: YAW, pitch: PITCH}], animations: clip ? [{name: clip, sampling: {times: [time_s]}}] : []};
    writeFileSync(join(list, 'list.yaml'), JSON.stringify({version: 1, assets: dirname(file), jobs: [job]}));
    const {status, stderr} = spawnSync(sheetbake, ['render', '-q', '--force', '-j1', '-o', join(list, 'out'), join(list, 'list.yaml')], {encoding: 'utf8'});
    if (status !== 0)
        return {stderr};
    const json = JSON.parse(readFileSync(join(list, 'out/job.json')));
    const {pivot} = Object.values(json.frames)[0], {pixelsPerUnit} = json.meta.sheetbake.cameras.c;
    const gray = execFileSync('convert', [join(list, 'out/job.png'), '-alpha', 'extract', '-depth', '8', 'gray:-'], {maxBuffer: 1 << 24});
    const width = SIZE / pixelsPerUnit;
    return {mask: Array.from(gray, value => value > 0 ? '1' : '0').join(''), view: {width, left: -pivot.x * width, top: pivot.y * width}};
}

/* Whether the other mask has no such pixel next to this one. */
function isAlone(mask, at) {
    const x = at % SIZE, y = (at - x) / SIZE;
    for (let dy = -1; dy <= 1; dy++)
        for (let dx = -1; dx <= 1; dx++)
            if (mask[Math.min(Math.max(y + dy, 0), SIZE - 1) * SIZE + Math.min(Math.max(x + dx, 0), SIZE - 1)] === '1')
                return false;
    return true;
}

function keepPicture(name, ours, theirs) {
    const pixels = Buffer.alloc(SIZE * SIZE * 3);
    for (let i = 0; i < SIZE * SIZE; i++)
        pixels.set([ours[i] * 255, ours[i] * theirs[i] * 255, theirs[i] * 255], i * 3);
    mkdirSync(failures, {recursive: true});
    execFileSync('convert', ['-size', `${SIZE}x${SIZE}`, '-depth', '8', 'rgb:-', join(failures, `${name.replace(/\W+/g, '-')}.png`)], {input: pixels});
}

async function compare(file, clip, number, time_s) {
    const name = file.split('/').slice(-3).join('/') + (clip ? ` ${clip}` : '');
    const ours = drawOurs(file, clip, time_s);
    if (!ours.mask)
        return problems.push(`${name}: ${ours.stderr.trim()}`);
    const query = {url: `/file${encodeURI(file)}`, ...ours.view, clip: clip ? number : null, time_s};
    const theirs = await tab.evaluate(query => window.draw(query), query).catch(error => said.push(`${name}: ${error}`) && null);
    if (!theirs)
        return;
    let alone = 0, drawn = 0;
    for (let i = 0; i < SIZE * SIZE; i++) {
        drawn += ours.mask[i] === '1';
        alone += (ours.mask[i] === '1' && isAlone(theirs, i)) || (theirs[i] === '1' && isAlone(ours.mask, i));
    }
    checks++;
    if (drawn < 100 || alone > drawn / 500) {
        problems.push(`${name}: ${alone} of ${drawn} pixels differ`);
        keepPicture(name, ours.mask, theirs);
    }
}

for (const folder of folders) {
    for (const entry of readdirSync(folder, {recursive: true, withFileTypes: true})) {
        const file = join(entry.parentPath, entry.name);
        const info = /\.(gltf|glb)$/.test(entry.name) && spawnSync(sheetbake, ['info', '--json', file], {encoding: 'utf8', maxBuffer: 1 << 28});
        if (!info || info.status !== 0)
            continue;
        const {clips, counts} = JSON.parse(info.stdout).files[0];
        if (counts.triangles === 0)
            continue;
        await compare(file, null);
        /* In the middle of two keys, where interpolation matters. */
        if (clips.length)
            await compare(file, clips[0].name, 0, clips[0].seconds_looped * 0.37);
    }
}
await browser.close();
server.close();
rmSync(list, {recursive: true});
console.log(`${problems.length || !checks ? 'FAILED' : 'ok'}  silhouettes of three.js: ${checks} pictures`);
for (const text of [...problems, ...said.map(line => `three.js said: ${line}`)])
    console.log(`    ${text}`);
process.exit(problems.length || !checks ? 1 : 0);
