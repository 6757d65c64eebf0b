/* node firefox.mjs MODULES WORK FIREFOX: opens the gallery and the pages of diff that tests/browser/run left in WORK from
 * file://, in headless Firefox: both play, in every view, and say nothing in the console. */
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {executablePath, expect, library, problems, report, work} from './checks.mjs';

const browser = await library('puppeteer-core').launch({browser: 'firefox', executablePath, headless: true});
const wait = ms => new Promise(done => setTimeout(done, ms));
mkdirSync(join(work, 'pictures'), {recursive: true});

async function open(path, fragment = '', width = 1280) {
    const tab = await browser.newPage();
    tab.on('console', message => ['error', 'warn'].includes(message.type()) && problems.push(`the page said: ${message.text()}`));
    tab.on('pageerror', error => problems.push(`the page threw: ${error.stack ?? error}`));
    await tab.setViewport({width, height: 800});
    await tab.goto(pathToFileURL(join(work, path)) + fragment);
    await wait(1000);
    return tab;
}

/* How many of 12 moments, 100 ms apart, show something else. */
async function moments(tab, look) {
    const seen = new Set();
    for (let i = 0; i < 12; i++, await wait(100))
        seen.add(await look(tab));
    return seen.size;
}

for (const path of ['diff/page.html', 'diff/folder/index.html'])
    for (const width of [1280, 480]) {
        const tab = await open(path, '#sheet=diff/walk', width), drawn = each => each.$eval('#stage', stage => stage.dataset.drawn);
        const pairs = await moments(tab, drawn);
        expect(pairs > 4, `${path}: ${pairs} pairs of frames are shown in a second`);
        expect(await tab.$eval('#notice', notice => notice.hidden), `${path}: it says ${await tab.$eval('#notice', notice => notice.textContent)}`);
        for (const key of ['6', '5', '4', '3', '2', '1']) {
            await tab.keyboard.press(key);
            await wait(300);
            expect(await drawn(tab), `${path}: view ${key} draws nothing`);
            await tab.screenshot({path: join(work, `pictures/firefox-diff-${path.split('/')[1]}-${key}-${width}.png`)});
        }
        await tab.close();
    }

for (const width of [1280, 480]) {
    const tab = await open('sheets/index.html', '', width), tile = '#tiles a[title="near"] canvas';
    const before = await tab.screenshot({path: join(work, `pictures/firefox-gallery-${width}.png`)});
    expect(await tab.$$eval('.mark.bad', marks => marks.length) === 0, 'a tile is marked as damaged');
    await tab.hover(tile);
    expect(await moments(tab, async each => (await (await each.$(tile)).screenshot({encoding: 'base64'}))) > 3, 'a tile under the pointer does not play');
    expect(before.length > 10000, 'the gallery is empty');
    await tab.click(tile);
    await wait(700);
    expect(await moments(tab, each => each.$eval('output', output => output.textContent)) > 4, 'a sheet does not play');
    await tab.screenshot({path: join(work, `pictures/firefox-sheet-${width}.png`)});
    await tab.close();
}
await browser.close();
process.exit(report('the pages in Firefox') ? 0 : 1);
