/* node page.mjs PAGE CHROMIUM: opens a page of `gallery` or `diff` from file://, in a Chromium that nothing watches, scrolls
 * through its list, fast and at the speed of a person who looks for something, and prints a line for each step: what the
 * page says, and the memory of its process. A copy of the page, with a script of its own, lies beside it. */
import {spawn} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';

const source = resolve(process.argv[2]), folder = dirname(source), chromium = process.argv[3];

/* Of the largest renderer below a process: what it has for itself and its share of the rest, in MB, and how much of that is
 * shared memory, where Chromium keeps decoded pictures until memory is short. */
function memory(root) {
    const parents = new Map(), sizes = new Map();
    for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name)))
        try {
            parents.set(pid, readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')[1]);
            if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) continue;
            const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
            sizes.set(pid, ['Pss', 'Pss_Shmem'].map(name => Math.round(Number(text.match(`${name}:\\s+(\\d+)`)[1]) / 1024)));
        } catch {} // it has ended
    const isBelow = pid => pid === String(root) || parents.has(pid) && isBelow(parents.get(pid));
    const [all, shared] = [...sizes].filter(([pid]) => isBelow(pid)).map(([, size]) => size).sort((a, b) => b[0] - a[0])[0];
    return `${all} MB, ${shared} MB of it shared`;
}

async function scroll(say) {
    const wait = ms => new Promise(done => setTimeout(done, ms));
    await wait(1500);
    say(`first paint ${Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)} ms`);
    const list = document.getElementById('rows') ?? document.documentElement, height = list.scrollHeight, gaps = [];
    let last = performance.now();
    for (let y = 0; y < height; y += 400) {
        list.scrollTop = y;
        const now = await new Promise(requestAnimationFrame);
        gaps.push(now - last);
        last = now;
    }
    gaps.sort((a, b) => a - b);
    say(`scrolled fast: ${gaps.length} frames, half of them within ${Math.round(gaps[gaps.length >> 1])} ms`);
    for (let y = height; y > 0; y -= list.clientHeight) {
        list.scrollTop = y;
        await wait(200);
    }
    say('scrolled slowly, each picture loaded');
    await wait(1000);
    say('end');
}

const server = createServer((request, response) => {
    response.end();
    const text = decodeURIComponent(request.url.slice(2));
    if (text === 'end') {
        child.kill();
        server.close();
    } else if (text) console.log(`${text}; ${memory(child.pid)}`);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const page = readFileSync(source, 'utf8').replace(/<meta http-equiv[^>]*>/, '');
writeFileSync(join(folder, 'bench.html'), `${page}<script defer src="bench.js"></script>`);
writeFileSync(join(folder, 'bench.js'),
    `(${scroll})(text => { new Image().src = 'http://127.0.0.1:${server.address().port}/?' + encodeURIComponent(text); });`);
const profile = mkdtempSync(join(tmpdir(), 'gallery-'));
const child = spawn(chromium, ['--headless', '--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--no-first-run', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--window-size=1280,900', `file://${folder}/bench.html`], {stdio: 'ignore'});
child.on('exit', () => rmSync(profile, {recursive: true, force: true, maxRetries: 5}));
