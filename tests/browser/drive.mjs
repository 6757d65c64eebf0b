/* node drive.mjs MODULES SHEETS SHOWCASES PICTURES CHROMIUM: serves this folder, the modules and the sheets on this machine,
 * opens each page in headless Chromium, prints what it found and leaves a picture of it. */
import {createReadStream, mkdirSync} from 'node:fs';
import {stat} from 'node:fs/promises';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {dirname, extname, join, normalize, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const [modules, sheets, showcases, pictures, executablePath] = process.argv.slice(2).map(path => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const {chromium} = createRequire(join(modules, 'x.js'))('playwright-core');

const PAGES = {
    'PixiJS 8': 'pixi.html',
    'Phaser 3': 'phaser.html?phaser',
    'Phaser 4': 'phaser.html?phaser4',
    'showcases, Phaser 3': 'showcases.html?phaser',
    'showcases, Phaser 4': 'showcases.html?phaser4',
    'KAPLAY': 'kaplay.html',
    'melonJS': 'melonjs.html',
    'previews': 'previews.html',
};

const TYPES = {'.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.json': 'application/json', '.png': 'image/png', '.webp': 'image/webp'};

function pathOf(url) {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const [, root, ...rest] = path.split('/');
    const roots = {modules, sheets, showcases};
    return root in roots ? join(roots[root], ...rest) : join(here, path);
}

async function serve(request, response) {
    const path = pathOf(request.url);
    const info = await stat(path).catch(() => null);
    if (!info?.isFile())
        return response.writeHead(404).end();
    response.writeHead(200, {'content-type': TYPES[extname(path)] ?? 'application/octet-stream'});
    createReadStream(path).pipe(response);
}

const listen = server => new Promise(done => server.listen(0, '127.0.0.1', () => done(server.address().port)));

async function check(browser, origin, name, page) {
    const tab = await browser.newPage({viewport: {width: 1120, height: 900}});
    const said = [];
    tab.on('console', message => ['error', 'warning'].includes(message.type()) && said.push(message.text()));
    tab.on('pageerror', error => said.push(`${error}`));
    await tab.goto(`${origin}/${page}`);
    await tab.waitForFunction(() => window.report, null, {timeout: 120000}).catch(() => {});
    const report = await tab.evaluate(() => window.report ?? {checks: 0, problems: ['the page did not finish']});
    await tab.screenshot({path: join(pictures, `${page.replace(/\W+/g, '-')}.png`), fullPage: true});
    await tab.close();
    const good = report.problems.length === 0 && report.checks > 100;
    console.log(`${good ? 'ok' : 'FAILED'}  ${name}: ${report.checks} checks`);
    for (const text of good ? [] : [...report.problems, ...said.slice(0, 10).map(line => `it said: ${line}`)])
        console.log(`    ${text}`);
    return good;
}

mkdirSync(pictures, {recursive: true});
const server = createServer(serve);
const origin = `http://127.0.0.1:${await listen(server)}`;
const browser = await chromium.launch({
    executablePath, headless: true,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
           '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
let good = true;
for (const [name, page] of Object.entries(PAGES))
    good = await check(browser, origin, name, page) && good;
await browser.close();
server.close();
process.exit(good ? 0 : 1);
