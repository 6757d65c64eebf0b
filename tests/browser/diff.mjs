/* node diff.mjs MODULES WORK CHROMIUM: opens the pages that tests/browser/run left in WORK/diff from file://, uses them as
 * a reviewer does, and compares what their canvases show with the sheets that they were made from. */
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expect, launch, newTab, problems, readAxe, run, same, work} from './checks.mjs';

const AXE = readAxe();
const PAGE = join(work, 'diff/page.html'), FOLDER = join(work, 'diff/folder/index.html');
const VIEWS = ['side', 'swipe', 'onion', 'blink', 'difference', 'heat'];
const html = readFileSync(PAGE, 'utf8');
const dataOf = text => JSON.parse(text.match(/<script type="application\/json" id="data">(.*?)<\/script>/s)[1]);
const data = dataOf(html);
/* The page with other data, escaped as the program does. */
const pageOf = data => html.replace(/(<script type="application\/json" id="data">).*?(<\/script>)/s,
    (_, a, b) => a + JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) + b);

const browser = await launch();

async function open(path, fragment = '', options = {}) {
    const tab = await newTab(browser, options);
    await tab.goto(pathToFileURL(path) + fragment);
    return tab;
}
const drawn = tab => tab.waitForFunction(() => document.getElementById('stage').dataset.drawn, null, {timeout: 10000})
    .catch(() => problems.push(`nothing was drawn: ${tab.url()}`)).then(() => tab.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))));
const shown = (sheet, rest) => `#${new URLSearchParams({sheet, back: 'black', ...rest})}`;
const fragmentOf = async tab => Object.fromEntries(new URLSearchParams(await tab.evaluate(() => (writeFragment(), location.hash.slice(1)))));

/* -- The sheets that the page was made from ------------------------------------------------------------------------ */

const blank = await (await browser.newContext()).newPage();
const pixelsOf = url => blank.evaluate(async url => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return {width: image.width, height: image.height, data: [...context.getImageData(0, 0, image.width, image.height).data]};
}, url);

const sheets = new Map();
async function sheetOf(side, job, pass = '') {
    const stem = join(work, `diff/${side}/${job}`), key = stem + pass;
    if (!sheets.has(key)) {
        const png = readFileSync(`${stem}${pass && `.${pass}`}.png`).toString('base64');
        sheets.set(key, {json: JSON.parse(readFileSync(`${stem}.json`)), picture: await pixelsOf(`data:image/png;base64,${png}`)});
    }
    return sheets.get(key);
}

/* The frame of a clip at a time, found by the durations in the sheet's own JSON; the last one is held. */
async function frameAt(side, job, clip, ms) {
    const {json} = await sheetOf(side, job);
    let end = 0;
    return json.animations[clip].find(name => (end += json.frames[name].duration) > ms + 0.001) ?? json.animations[clip].at(-1);
}

/* A cell as RGBA rows. */
async function cellOf(side, job, name, pass) {
    const {json, picture} = await sheetOf(side, job, pass), {x, y, w, h} = json.frames[name].frame, cell = [];
    for (let row = 0; row < h; row++)
        cell.push(...picture.data.slice(((y + row) * picture.width + x) * 4, ((y + row) * picture.width + x + w) * 4));
    return {w, h, data: cell};
}

/* -- What canvases show -------------------------------------------------------------------------------------------- */

/* The w times h pixels in the middle of a canvas, at zoom 1: where a cell of that size is. */
const middleOf = (tab, selector, w, h) => tab.evaluate(([selector, w, h]) => {
    const canvas = document.querySelector(selector);
    return [...canvas.getContext('2d').getImageData(Math.round(canvas.width / 2 - w / 2), Math.round(canvas.height / 2 - h / 2), w, h).data];
}, [selector, w, h]);

const premultiplied = data => data.map((value, i) => i % 4 < 3 ? value * data[i | 3] / 255 : value);
function expectPixels(found, wanted, text, tolerance = 3) {
    const a = premultiplied(found), b = premultiplied(wanted);
    const worst = a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), a.length === b.length ? 0 : 999);
    expect(worst <= tolerance, `${text}: differs by ${worst} levels`);
    expect(b.filter((value, i) => i % 4 === 3 && value > 0).length > 50, `${text}: there is hardly anything in the cell`);
}

/* -- The tests ----------------------------------------------------------------------------------------------------- */

const tests = {
    async 'both sides show the frames of one time'() {
        for (const [job, clip, end] of [['walk', 'walk/front', 1000], ['walk', 'walk/side', 1000], ['run', 'run/front', 600]]) {
            for (const part of [0, 0.13, 0.31, 0.5, 0.77, 0.95]) {
                const t = +(end * part).toFixed(3), tab = await open(PAGE, shown(`diff/${job}`, {clip, t, zoom: 1}));
                await drawn(tab);
                for (const [side, canvas] of [['before', '#one .base'], ['after', '#two .base']]) {
                    const cell = await cellOf(side, job, await frameAt(side, job, clip, t));
                    expectPixels(await middleOf(tab, canvas, cell.w, cell.h), cell.data, `${job} ${clip} ${side} at ${t} ms`, 2);
                }
                await tab.context().close();
            }
        }
    },

    async 'playing keeps both sides in step'() {
        const tab = await open(PAGE, shown('diff/walk', {clip: 'walk/front', zoom: 1}));
        await drawn(tab);
        /* What is there after each picture of the display, until the clip began anew three times: a busy machine needs more turns to show each pair. */
        const {seen, turns, passed} = await tab.evaluate(() => new Promise(done => {
            const seen = [], start = performance.now();
            let turns = 0, passed = 0, last = null;
            const look = now => {
                const t = +document.getElementById('time').value;
                passed += last === null ? 0 : Math.min(now - last, 200); /* after a longer stop the page goes on where it was */
                last = now;
                turns += seen.length > 0 && t < seen.at(-1).t;
                seen.push({t, drawn: document.getElementById('stage').dataset.drawn});
                turns === 3 || now - start > 20000 ? done({seen, turns, passed}) : requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
        }));
        const pairs = [];
        for (const {t} of seen)
            pairs.push(`${await frameAt('before', 'walk', 'walk/front', t)}|${await frameAt('after', 'walk', 'walk/front', t)}`);
        const wrong = seen.filter(({drawn}, i) => i > 0 && drawn !== pairs[i] && drawn !== pairs[i - 1]); /* it is drawn one picture later */
        same(wrong, [], `moments of ${seen.length} that do not show the frames of their time`);
        const shown_pairs = new Set(seen.map(({drawn}) => drawn)).size, played = turns * 1000 + seen.at(-1).t - seen[0].t;
        expect(shown_pairs >= 15, `playing showed only ${shown_pairs} pairs`);
        expect(turns === 3 && Math.abs(played - passed) < 50, `in ${Math.round(passed)} ms, ${Math.round(played)} ms of a clip of one second were played, which began anew ${turns} times`);
        await tab.context().close();
    },

    async 'each view draws what it says'() {
        const t = 250, clip = 'run/front';
        const [before, after] = await Promise.all(['before', 'after'].map(async side => cellOf(side, 'run', await frameAt(side, 'run', clip, t))));
        const {w, h} = before, at = (view, more) => open(PAGE, shown('diff/run', {clip, t, zoom: 1, view, ...more}), {reducedMotion: 'reduce'});
        const look = async (view, more, selector = '#one .base') => {
            const tab = await at(view, more);
            await drawn(tab);
            same(await tab.locator('#extras [aria-pressed=true]').count(), await tab.locator('#extras button').count() && 1, `${view}: pressed buttons`);
            const pixels = await middleOf(tab, selector, w, h);
            await tab.context().close();
            return pixels;
        };
        const half = (await look('swipe', {split: 0.5})).map((value, i) => Math.abs(i / 4 % w - w / 2) < 3 ? -1 : value);
        const wanted = before.data.map((value, i) => Math.abs(i / 4 % w - w / 2) < 3 ? -1 : i / 4 % w < w / 2 ? value : after.data[i]);
        expectPixels(half, wanted, 'swipe');
        const mixed = premultiplied(before.data).map((value, i) => value * 0.25 + premultiplied(after.data)[i] * 0.75);
        const onion = premultiplied(await look('onion', {mix: 0.75}));
        expect(onion.every((value, i) => Math.abs(value - mixed[i]) <= 4), 'the onion skin is not a quarter before and three quarters after');
        for (const [side, cell] of [['before', before], ['after', after]])
            expectPixels(await look('blink', {side}), cell.data, `blink, ${side}`, 2);
        const difference = times => before.data.map((_, i) => i % 4 === 3 ? 255 : [0, 255].reduce((most, ground) => {
            const over = data => data[i] * data[i | 3] / 255 + ground * (1 - data[i | 3] / 255);
            return Math.max(most, Math.min(255, times * Math.abs(over(before.data) - over(after.data))));
        }, 0));
        for (const amp of [1, 4, 16])
            expectPixels(await look('difference', {amp}), difference(amp), `difference times ${amp}`, 3 * amp);
        const most = Array(w * h * 4).fill(0), {json} = await sheetOf('before', 'run');
        for (const name of json.animations[clip]) {
            const [a, b] = [await cellOf('before', 'run', name), await cellOf('after', 'run', name)];
            for (let i = 0; i < most.length; i++)
                for (const ground of [0, 255]) {
                    const over = data => data[i] * data[i | 3] / 255 + ground * (1 - data[i | 3] / 255);
                    most[i] = i % 4 === 3 ? 255 : Math.max(most[i], Math.abs(over(a.data) - over(b.data)));
                }
        }
        expectPixels(await look('heat', {hot: 1}, '#one .heat'), most, 'heat map');
    },

    async 'cells of two sizes lie on each other by their pivots'() {
        const name = 'wave/wave/front/0003', tab = await open(PAGE, shown('diff/wave', {clip: 'wave/front', frame: name, zoom: 1, view: 'swipe', split: 1}));
        await drawn(tab);
        const feet = async () => tab.evaluate(() => {
            const canvas = document.querySelector('#one .base'), {width, height} = canvas;
            const pixels = canvas.getContext('2d').getImageData(4, 0, width - 8, height).data; /* without the divider */
            return Math.floor(pixels.findLastIndex((value, i) => i % 4 === 3 && value > 128) / 4 / (width - 8));
        });
        const before = await feet();
        await tab.evaluate(() => { document.querySelector('#handle').value = 0; document.querySelector('#handle').dispatchEvent(new Event('input', {bubbles: true})); });
        await tab.waitForTimeout(100);
        const after = await feet();
        expect(before > 100 && Math.abs(before - after) <= 2, `the feet stand at ${before} before, at ${after} after`);
        await tab.context().close();
    },

    async 'passes are tabs'() {
        const tab = await open(PAGE, shown('diff/walk', {clip: 'walk/front', t: 120, zoom: 1}));
        await drawn(tab);
        await tab.getByRole('tab', {name: 'normal'}).click();
        await drawn(tab);
        for (const [side, canvas] of [['before', '#one .base'], ['after', '#two .base']]) {
            const cell = await cellOf(side, 'walk', await frameAt(side, 'walk', 'walk/front', 120), 'normal');
            expectPixels(await middleOf(tab, canvas, cell.w, cell.h), cell.data, `normals ${side}`, 2);
        }
        same((await fragmentOf(tab)).pass, 'normal', 'the pass in the fragment');
        await tab.context().close();
    },

    async 'what is said and boxed is of the pass that is shown'() {
        const path = join(work, 'diff/passes.html'), large = structuredClone(data), walk = large.sheets.find(({name}) => name === 'diff/walk');
        const changed = walk.clips.flatMap(({frames}) => frames).filter(({change}) => change);
        changed.forEach(({change}) => { change.passes = ['normal']; change.box = [10, 10, 20, 20]; });
        writeFileSync(path, pageOf(large));
        for (const pass of ['color', 'normal']) {
            const tab = await open(path, shown('diff/walk', {clip: 'walk/front', frame: changed[0].name, zoom: 1, pass, show: 'box'}));
            await drawn(tab);
            const pink = (await middleOf(tab, '#two .base', 72, 64)).reduce((n, value, i, all) => n + (i % 4 === 0 && value - all[i + 1] > 60 && all[i + 2] - all[i + 1] > 40), 0);
            expect((pink > 30) === (pass === 'normal'), `${pass}: ${pink} pixels of the box`);
            const says = await tab.locator('#figures').textContent();
            expect(says.includes('the same in this pass, changed in normal') === (pass === 'color'), `${pass}: it says ${says}`);
            await tab.context().close();
        }
    },

    async 'a still picture has no clock, the end of a long name is seen, a failure says why once'() {
        const path = join(work, 'diff/still.html'), other = structuredClone(data), [sheet] = other.sheets;
        Object.assign(sheet, {name: `${'a-long-folder/'.repeat(8)}body`, state: 'failed', reason: 'body.md2: it is cut off', clips: [{...sheet.clips[0], frames: sheet.clips[0].frames.slice(0, 1)}]});
        other.causes[sheet.cause].text = 'cannot be made';
        writeFileSync(path, pageOf(other));
        const tab = await open(path, `#${new URLSearchParams({sheet: sheet.name})}`), seen = selector => tab.locator(selector).isVisible();
        await drawn(tab);
        same([await seen('#clock'), await seen('#film'), await seen('#stage'), await seen('#figures')], [false, false, true, true], 'what a still sheet has');
        same(await tab.locator('#why').textContent(), 'body.md2: it is cut off', 'why it failed');
        const [end] = await tab.$$eval('#list b', ends => ends.map(({textContent, scrollWidth, clientWidth}) => [textContent, scrollWidth <= clientWidth]));
        same(end, ['body', true], 'the end of the name in the list');
        await tab.keyboard.press('j');
        same([await seen('#clock'), await seen('#film')], [true, true], 'what the next sheet has');
        await tab.evaluate(() => { for (const of of data.sheets) for (const side of SIDES) of.strips[side] = {}; act({}); act({sheet: data.sheets[2].name}); });
        same([await seen('#clock'), await seen('#notice')], [false, true], 'what a sheet without pictures has');
        const tops = await tab.evaluate(() => document.elementFromPoint(...['left', 'top'].map(edge => document.querySelector('#one figcaption').getBoundingClientRect()[edge] + 5)).id);
        same(tops, 'notice', 'what lies where a caption was');
        await tab.evaluate(() => { Object.assign(data.sheets[3], {strips: null, clips: []}); act({sheet: data.sheets[3].name}); });
        same([await seen('#tools'), await tab.locator('#notice').textContent().then(text => /were left out.*--max-size/.test(text))], [false, true], 'what a sheet that did not fit has');
        await tab.context().close();
    },

    async 'it opens at the first picture that differs, failed sheets are a group of their own'() {
        const path = join(work, 'diff/failed.html'), other = structuredClone(data), [failed, left, later] = other.sheets;
        Object.assign(failed, {state: 'failed', reason: 'body.md2: it is cut off', clips: [], strips: null, frames: {}, change: null});
        Object.assign(left, {clips: [], strips: null, change: {...left.change, max: 1}});
        later.cause = failed.cause;
        writeFileSync(path, pageOf(other));
        const tab = await open(path);
        await drawn(tab);
        const shown = (await tab.evaluate(() => state.sheet));
        same(shown, other.sheets.slice(2).toSorted((a, b) => (b.change?.max ?? 0) - (a.change?.max ?? 0))[0].name, 'the sheet that is shown first');
        same(await tab.locator('#list h2 .foreign').first().textContent(), 'Failed: nothing to compare', 'the first group');
        same((await tab.$$eval('#list > div', rows => rows.slice(0, 3).map(({innerText}) => innerText.split('\n')[0])))[1], failed.name.split('/').at(-1), 'the sheet of that group');
        await tab.locator('#list h2 button').first().click();
        same(await tab.locator('#tiles .pair').allTextContents(), ['body.md2: it is cut off'], 'what its tile says');
        await tab.context().close();
    },

    async 'the overview of a cause: tiles that play, all accepted at once'() {
        const path = join(work, 'diff/overview.html'), other = structuredClone(data);
        other.sheets.forEach(sheet => { sheet.cause = 0; sheet.causes = [0]; });
        writeFileSync(path, pageOf(other));
        const tab = await open(path, '#t=0'), tile = name => tab.locator(`#tiles button[title="${name}"]`);
        await drawn(tab);
        await tab.locator('#list h2 button').click();
        same([await tab.locator('#sheet').isVisible(), (await fragmentOf(tab)).cause], [false, '0'], 'after the head of a group');
        same(await tab.$$eval('#tiles button', each => each.map(one => one.title)), listed().map(({name}) => name), 'the tiles');
        const places = name => tile(name).evaluate(one => [...one.querySelectorAll('.thumb')].map(({style}) => style.backgroundPosition).join());
        const moments = async (tab, name) => {
            const seen = new Set();
            for (let i = 0; i < 12; i++, await tab.waitForTimeout(70))
                seen.add(await places(name));
            return seen.size;
        };
        const still = await places('diff/walk');
        same(await moments(tab, 'diff/walk'), 1, 'pictures of a tile at rest');
        await tile('diff/walk').hover();
        expect(await moments(tab, 'diff/walk') > 3, 'a tile under the pointer does not play');
        await tab.mouse.move(2, 2);
        same(await places('diff/walk'), still, 'after the pointer left');
        await tile('diff/walk').focus();
        expect(await moments(tab, 'diff/walk') > 3, 'a tile with the focus does not play');
        expect(await tile('diff/run').locator('.thumb').evaluateAll(([a, b]) => a.style.backgroundImage !== b.style.backgroundImage && a.clientWidth > 40 && a.clientWidth === b.clientWidth), 'a tile does not show both sides, in one scale');
        await tab.evaluate(() => judge({verdict: 'reject'}, [data.sheets[0]]));
        await tab.getByRole('button', {name: 'Accept all of this cause (5)'}).click();
        same(Object.values(await tab.evaluate(() => verdicts)).map(({verdict}) => verdict).sort(), [...Array(5).fill('accept'), 'reject'], 'verdicts after accepting all');
        same(await tab.locator('#tiles .verdict').allTextContents().then(all => all.filter(text => text.includes('accepted')).length), 5, 'tiles that say so');
        const linesOf = () => tab.evaluate(() => verdictLines().split('\n').slice(1, -1));
        same(await linesOf(), other.sheets.map(({accept}, i) => i ? accept : accept.replace('accept', 'reject')), 'a line for each sheet, with one rejected');
        await tab.evaluate(() => { judge({verdict: 'accept'}, data.sheets); judge({comment: 'a\nb'}, [data.sheets[1]]); });
        same(await linesOf(), [data.causes[0].accept, `${other.sheets[1].accept}: a b`], 'a line for all, and one with words');
        await tab.evaluate(() => { judge({verdict: 'reject'}, [data.sheets[0]]); judge({comment: ''}, [data.sheets[1]]); });
        await tab.getByRole('button', {name: 'Take back what is accepted'}).click();
        same(Object.values(await tab.evaluate(() => verdicts)).map(({verdict}) => verdict).filter(Boolean), ['reject'], 'verdicts after taking it back');
        await tab.evaluate(() => judge({verdict: 'reject'}, data.sheets));
        same(await tab.locator('#accept-all').isDisabled(), true, 'nothing is left to accept');
        await tab.evaluate(() => { judge({verdict: ''}, data.sheets); data.sheets[0].strips = null; data.sheets[1].state = 'failed'; data.sheets[1].cause = 1; act({cause: ''}); act({cause: '0'}); });
        const left = await tab.evaluate(() => [data.sheets[0].name, data.sheets[1].name]);
        await tab.getByRole('button', {name: 'Accept all that are seen here (4)'}).click();
        same(await tab.evaluate(() => data.sheets.filter(({name}) => verdicts[name]?.verdict !== 'accept').map(({name}) => name)), left, 'sheets without pictures or that failed are left, after accepting all');
        await tile('diff/gone').press('Enter');
        same([(await fragmentOf(tab)).sheet, (await fragmentOf(tab)).cause, await tab.locator('#sheet').isVisible()], ['diff/gone', undefined, true], 'after Enter on a tile');
        await tab.context().close();
        const calm = await open(path, '#cause=0', {reducedMotion: 'reduce'});
        await calm.locator('#tiles button').first().hover();
        same(await calm.evaluate(() => playing), null, 'what plays with less motion');
        await calm.context().close();
        other.sheets = Array.from({length: 150}, (_, i) => ({...other.sheets[i % other.sheets.length], name: `many/${i}`}));
        writeFileSync(path, pageOf(other));
        const many = await open(path, '#cause=0'), tiles = () => many.locator('#tiles button').count();
        same([await tiles(), await many.locator('#more').click().then(tiles), await many.evaluate(() => [...$('tiles').children].indexOf(document.activeElement.parentNode)), await many.locator('#more').click().then(tiles), await many.locator('#more').isVisible()], [60, 120, 60, 150, false], 'tiles of many, and where the focus goes');
        same(await many.locator('#accept-all').textContent(), 'Accept all of this cause (150)', 'what is accepted once all tiles are there');
        await many.reload();
        same(await many.locator('#accept-all').textContent(), 'Accept all that are seen here (60)', 'what is accepted of the first tiles');
        await many.context().close();
    },

    async 'a matrix of clips by cameras, coloured by how much each changed'() {
        const path = join(work, 'diff/matrix.html'), other = structuredClone(data), run = other.sheets.find(({name}) => name === 'diff/run');
        run.clips.find(({name}) => name === 'stand/front').frames.forEach(frame => { frame.state = 'moved'; frame.change = null; });
        run.clips.find(({name}) => name === 'run/side').frames.forEach(frame => { frame.change.mean /= 100; });
        writeFileSync(path, pageOf(other));
        const tab = await open(path, '#sheet=diff/run&t=0'), entry = name => tab.getByRole('button', {name: new RegExp(`^${name}: `)});
        await drawn(tab);
        same(await tab.$$eval('#matrix tr', lines => lines.map(line => [...line.children].map(({innerText}) => innerText))), [['', 'front', 'side'], ['run', '6', '6'], ['stand', '–', '6']], 'the matrix');
        const part = name => entry(name).evaluate(one => parseInt(one.style.getPropertyValue('--part')));
        const parts = [await part('run/front'), await part('run/side'), await part('stand/front')];
        expect(parts[0] > 60 && parts[1] < 20 && parts[1] > 0 && parts[2] === 0, `how strong its colours are: ${parts}`);
        const colors = await Promise.all(['run/front', 'run/side'].map(name => entry(name).evaluate(one => getComputedStyle(one).backgroundColor)));
        expect(colors[0] !== colors[1], `its colours are ${colors}`);
        expect(/^run\/front: change [\d.]+\s%, 6 of 6 frames$/.test(await entry('run/front').getAttribute('aria-label')), `its name is ${await entry('run/front').getAttribute('aria-label')}`);
        await entry('stand/side').focus();
        await tab.keyboard.press('Enter');
        same([(await fragmentOf(tab)).clip, await entry('stand/side').getAttribute('aria-pressed'), await tab.locator('#matrix :focus').count()], ['stand/side', 'true', 1], 'after choosing a clip');
        await tab.evaluate(() => act({sheet: 'diff/new'}));
        same(await tab.locator('#matrix td button').count(), data.sheets.find(({name}) => name === 'diff/new').clips.length, 'the matrix of the next sheet');
        await tab.context().close();
    },

    async 'the next changed frame is one that looks otherwise, or where none does one that moved'() {
        const path = join(work, 'diff/next.html'), other = structuredClone(data), run = other.sheets.find(({name}) => name === 'diff/run');
        const turn = (frame, state) => Object.assign(frame, {state, change: state === 'changed' ? frame.change : null});
        const stops = async () => {
            writeFileSync(path, pageOf(other));
            const tab = await open(path, '#sheet=diff/run&t=0'), seen = [];
            await drawn(tab);
            const heights = await tab.evaluate(() => clip.frames.map((frame, i) => [frame.state, $('film').children[i].querySelector('.bar').offsetHeight]));
            expect(heights.every(([state, height]) => state === 'changed' ? height > 2 : height === {moved: 2, same: 0}[state]), `bars of the film strip: ${heights}`);
            for (let i = 0; i < 3; i++) {
                await tab.keyboard.press('n');
                seen.push((await fragmentOf(tab)).frame);
            }
            await tab.context().close();
            return seen;
        };
        const frames = run.clips.flatMap(c => c.frames), wanted = [frames[4], frames[15]];
        frames.forEach(frame => turn(frame, wanted.includes(frame) ? 'changed' : 'moved'));
        run.frames = {changed: 2, moved: frames.length - 2};
        const [first, second, third] = await stops();
        same([[first, second].sort(), third], [wanted.map(({name}) => name).sort(), first], 'frames that look otherwise, by the key N');
        frames.forEach(frame => turn(frame, frame === frames[9] ? 'moved' : 'same'));
        run.frames = {moved: 1, same: frames.length - 1};
        same(await stops(), Array(3).fill(frames[9].name), 'the frame that moved, by the key N');
    },

    async 'the matrix: clips that are new or gone have colours of their own, the one that is shown is in view'() {
        const path = join(work, 'diff/matrix.html'), other = structuredClone(data), run = other.sheets.find(({name}) => name === 'diff/run');
        const [clip] = run.clips, like = (name, state) => ({...structuredClone(clip), name, frames: structuredClone(clip.frames).map(frame => ({...frame, name: `${name}/${frame.name}`, ...state && {state, change: null, [state === 'added' ? 'before' : 'after']: null}}))});
        run.clips = [like('new/front', 'added'), like('old/front', 'removed'), ...Array.from({length: 30}, (_, i) => like(`walk ${i}/front`)), ...Array.from({length: 30}, (_, i) => like(`walk 0/camera-with-a-name-${i}`))];
        writeFileSync(path, pageOf(other));
        for (const colorScheme of ['light', 'dark']) {
            const tab = await open(path, `#${new URLSearchParams({sheet: 'diff/run', clip: 'walk 25/front', t: 0})}`, {colorScheme}), entry = name => tab.getByRole('button', {name: new RegExp(`^${name}: `)});
            await drawn(tab);
            const look = name => entry(name).evaluate(one => [one.textContent, getComputedStyle(one).backgroundColor]);
            const [added, removed, changed] = await Promise.all(['new/front', 'old/front', 'walk 3/front'].map(look));
            same([added[0], removed[0], changed[0]], ['+6', '−6', '6'], 'what the entries say');
            same(new Set([added[1], removed[1], changed[1]]).size, 3, `colours of the entries: ${[added[1], removed[1], changed[1]]}`);
            expect(/^new\/front: added, 6 of 6 frames/.test(await entry('new/front').getAttribute('aria-label')), 'a new clip is not called added');
            const seen = name => entry(name).evaluate(one => { const [a, b] = [one, document.getElementById('matrix')].map(each => each.getBoundingClientRect()); return a.top >= b.top - 1 && a.bottom <= b.bottom + 1 && a.left >= b.left && a.right <= b.right + 1; });
            for (const name of ['walk 25/front', 'walk 0/camera-with-a-name-29', 'walk 0/front', 'walk 29/front']) {
                await tab.evaluate(clip => act({clip}), name);
                same(await seen(name), true, `${name} is in view`);
            }
            await tab.context().close();
        }
    },

    async 'a page with part of its pictures: one frame is shown as such, and clips without pictures say so'() {
        const path = join(work, 'diff/part.html'), other = structuredClone(data), run = other.sheets.find(({name}) => name === 'diff/run');
        const [clip, bare] = run.clips, keep = ({state, change}) => ({state, change});
        clip.frames = clip.frames.map((frame, i) => i === 2 ? frame : keep(frame));
        Object.assign(clip, {still: 2, lossy: true});
        bare.frames = bare.frames.map(keep);
        writeFileSync(path, pageOf(other));
        const tab = await open(path, `#${new URLSearchParams({sheet: 'diff/run', clip: bare.name})}`), entry = name => tab.getByRole('button', {name: new RegExp(`^${name}: `)});
        await drawn(tab);
        expect((await fragmentOf(tab)).clip !== bare.name, 'a clip without pictures is shown');
        await tab.evaluate(clip => act({clip}), clip.name);
        same([(await fragmentOf(tab)).clip, await tab.locator('#clock').isVisible()], [clip.name, false], 'the clip of one frame');
        const says = await tab.locator('#figures').textContent();
        expect(/^Frame 2 changed: .*only this frame of the sheet is here, with losses/.test(says), `it says ${says}`);
        same(await tab.$$eval('figcaption', all => all.map(({textContent}) => textContent)), ['Before · frame 2', 'After · frame 2'], 'the captions');
        same([await entry(clip.name).textContent(), await entry(bare.name).textContent(), await entry(bare.name).isDisabled()], ['6', '6', true], 'the matrix counts all frames');
        expect((await entry(bare.name).getAttribute('title')).endsWith('; its pictures were left out'), 'a clip without pictures does not say so');
        for (const key of ['n', 'p', 'w', 'ArrowRight', '.', 'f', 'o', 'o', '6', '5'])
            await tab.keyboard.press(key);
        expect((await fragmentOf(tab)).clip !== bare.name, 'the keys lead to a clip without pictures');
        await tab.context().close();
    },

    async 'numbers say what they are, the list says by which it is sorted'() {
        const path = join(work, 'diff/numbers.html'), other = structuredClone(data), [a, b] = other.sheets;
        Object.assign(a, {frames: {changed: 4, moved: 1}, frames_text: '4 of 5 frames (1 moved)', change: {...a.change, mean: 0.3501, max: 1}});
        Object.assign(b, {frames: {changed: 119, same: 73}, frames_text: '119 of 192 frames', change: {...b.change, mean: 0.0004, max: 0.35}});
        other.sheets = [a, b];
        writeFileSync(path, pageOf(other));
        const tab = await open(path, `#sheet=${a.name}`);
        await drawn(tab);
        same(await tab.locator('#numbers').textContent(), ': change 35\u00a0%, 4 of 5 frames (1 moved); largest difference of a pixel 100\u00a0%', 'what a sheet says');
        same(await tab.locator('#list b ~ small:last-child').allTextContents(), ['change 35\u00a0% · 4 of 5 frames (1 moved)', 'change 0.04\u00a0% · 119 of 192 frames'], 'what the list says');
        same([await tab.getByLabel('Sorted by').inputValue(), await namesIn(tab)], ['change', [a.name, b.name]], 'how it is sorted');
        await tab.getByLabel('Sorted by').selectOption({label: 'frames that look otherwise'});
        same([(await fragmentOf(tab)).sort, await namesIn(tab)], ['frames', [b.name, a.name]], 'sorted by frames');
        await tab.context().close();
        const again = await open(path, `#sort=frames&find=${b.name}&only=changed`);
        same([await namesIn(again), await again.locator('#search').inputValue(), await again.locator('#filters [aria-pressed=true]').textContent()],
             [[b.name], b.name, `changed ${data.totals.sheets.changed}`], 'the list of a fragment');
        await again.context().close();
    },

    async 'a renamed sheet is shown under both names'() {
        const tab = await open(PAGE, shown('diff/hats/bald', {t: 0, zoom: 1}));
        await drawn(tab);
        const cell = await cellOf('after', 'hats/bald', await frameAt('after', 'hats/bald', 'wave/front', 0));
        for (const [canvas, name] of [['#one', 'Before: diff/hats/bare'], ['#two', 'After: diff/hats/bald']]) {
            expectPixels(await middleOf(tab, `${canvas} .base`, cell.w, cell.h), cell.data, `renamed, ${name}`, 2);
            same(await tab.locator(`${canvas} figcaption`).textContent(), `${name} · frame 0`, 'its caption');
        }
        same([await tab.locator('#name').innerText(), await tab.locator('#list [aria-current] small').first().textContent()], ['bald\ndiff/hats · was diff/hats/bare', 'renamed · was diff/hats/bare'], 'its names');
        await tab.context().close();
    },

    async 'names do not break inside a word'() {
        const path = join(work, 'diff/words.html'), other = structuredClone(data), [sheet] = other.sheets;
        Object.assign(sheet, {name: `${'a_rather_long_folder/'.repeat(6)}${'heavy_armour-of_orcs.'.repeat(5)}body`});
        other.causes[sheet.cause].text = `input ${'models/a_rather_long_folder/'.repeat(3)}heavy_armour_of_orcs.png changed, was 0.25`;
        writeFileSync(path, pageOf(other));
        for (const width of [1280, 480]) {
            const tab = await open(path, `#sheet=${sheet.name}`, {viewport: {width, height: 900}});
            await drawn(tab);
            const broken = await tab.evaluate(() => [...document.querySelectorAll('#name .foreign, #why .foreign, #list h2 .foreign')].flatMap(node => {
                const found = [], walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
                while (walker.nextNode())
                    for (const {0: word, index} of walker.currentNode.data.matchAll(/[\p{L}\d.]+/gu)) {
                        const range = document.createRange();
                        range.setStart(walker.currentNode, index);
                        range.setEnd(walker.currentNode, index + word.length);
                        if (range.getClientRects().length > 1)
                            found.push(word);
                    }
                return found;
            }));
            same(broken, [], `words that are broken at ${width} pixels`);
            same(await tab.locator('#name').evaluate(node => [node.firstChild.textContent.startsWith('heavy_'), node.lastChild.textContent.startsWith('a_rather'), node.lastChild.offsetTop > node.firstChild.offsetTop]), [true, true, true], 'the folder is in a line of its own');
            await tab.context().close();
        }
    },

    async 'black and white are seen on the checkers, in dark and in light'() {
        for (const colorScheme of ['light', 'dark']) {
            const tab = await open(PAGE, '', {colorScheme});
            const lights = await tab.evaluate(() => ['--check-a', '--check-b'].map(name => {
                const probe = document.body.appendChild(document.createElement('i'));
                probe.style.color = `var(${name})`;
                const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).map(value => ((value / 255 + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            }));
            for (const light of lights)
                expect((light + 0.05) / 0.05 >= 3 && 1.05 / (light + 0.05) >= 1.3, `${colorScheme}: the contrast with black is ${(light + 0.05) / 0.05}, with white ${1.05 / (light + 0.05)}`);
            await tab.context().close();
        }
    },

    async 'the swipe has a handle, on the divider, for pointers and keys'() {
        const tab = await open(PAGE, shown('diff/run', {t: 0, view: 'swipe', split: 0.25}));
        await drawn(tab);
        const {x, y, width, height} = await tab.locator('#stage').boundingBox();
        await tab.mouse.move(x + width / 4 + 8, y + height / 2);
        await tab.mouse.down();
        same(await tab.evaluate(() => document.activeElement.id), 'handle', 'what is under the pointer at the divider');
        await tab.mouse.move(x + width * 0.6, y + height / 2, {steps: 4});
        await tab.mouse.up();
        const {split} = await fragmentOf(tab);
        expect(Math.abs(split - 0.6) < 0.03, `the handle was drawn to 0.6, and the divider is at ${split}`);
        await tab.getByRole('slider', {name: 'Divider'}).press('ArrowRight');
        expect(Math.abs((await fragmentOf(tab)).split - split - 0.01) < 1e-6, `an arrow moves it from ${split} to ${(await fragmentOf(tab)).split}`);
        await tab.keyboard.press('1');
        same(await tab.locator('#handle').isVisible(), false, 'a handle in another view');
        await tab.context().close();
    },

    async 'the wheel scrolls the page, and zooms with Ctrl; a narrow window shows one side above the other'() {
        const tab = await open(PAGE, '#sheet=diff/run&t=0', {viewport: {width: 480, height: 900}});
        await drawn(tab);
        const [one, two] = await tab.evaluate(() => ['one', 'two'].map(id => { const {left, top, width, height} = document.getElementById(id).getBoundingClientRect(); return {left, top, width, height}; }));
        expect(two.top >= one.top + one.height && one.width > 400, `at 480 pixels: ${JSON.stringify([one, two])}`);
        expect(parseInt(await tab.locator('#fit').textContent().then(text => text.match(/\d+/)[0])) >= 600, `at 480 pixels: ${await tab.locator('#fit').textContent()}`);
        await tab.locator('#stage').hover();
        const before = await tab.evaluate(() => scrollY);
        await tab.mouse.wheel(0, 200);
        await tab.waitForTimeout(200);
        same([(await fragmentOf(tab)).zoom, await tab.evaluate(() => scrollY) > before], [undefined, true], 'after the wheel');
        await tab.keyboard.down('Control');
        await tab.mouse.wheel(0, -100);
        await tab.waitForTimeout(200);
        expect(+(await fragmentOf(tab)).zoom > 6, `after the wheel with Ctrl: ${(await fragmentOf(tab)).zoom}`);
        await tab.context().close();
    },

    async 'every key does what the help says'() {
        const [first, second] = listed().map(({name}) => name), walk = shown('diff/walk', {clip: 'walk/front', frame: 'walk/walk/front/0002'});
        const is = (key, value) => state => state[key] === value;
        /* key: [fragment to begin with, what holds afterwards of the new fragment and the tab] */
        const wanted = {
            j: [shown(first, {t: 0}), is('sheet', second)], ArrowDown: [shown(first, {t: 0}), is('sheet', second)],
            k: [shown(second, {t: 0}), is('sheet', first)], ArrowUp: [shown(second, {t: 0}), is('sheet', first)],
            1: [shown(first, {t: 0, view: 'heat'}), is('view', undefined)], 2: [walk, is('view', 'swipe')], 3: [walk, is('view', 'onion')],
            4: [walk, is('view', 'blink')], 5: [walk, is('view', 'difference')], 6: [walk, is('view', 'heat')],
            Space: [walk, is('play', undefined)], ArrowLeft: [walk, is('frame', 'walk/walk/front/0001')], ArrowRight: [walk, is('frame', 'walk/walk/front/0003')],
            w: [walk, async state => state.frame === worstOf('diff/walk')], n: [walk, is('frame', 'walk/walk/front/0003')], p: [walk, is('frame', 'walk/walk/front/0001')],
            '<': [walk, is('speed', '0.5')], '>': [walk, is('speed', '2')], '[': [walk, is('pass', 'normal')], ']': [walk, is('pass', 'normal')],
            ',': [walk, is('clip', 'walk/side')], '.': [walk, is('clip', 'walk/side')], m: [`${walk}&view=difference`, is('amp', '16')],
            x: [`${walk}&view=blink`, state => ['before', undefined].includes(state.side)], h: [`${walk}&view=swipe`, is('split', '0.45')], l: [`${walk}&view=onion`, is('mix', '0.55')],
            '+': [`${walk}&zoom=2`, is('zoom', '3')], '=': [`${walk}&zoom=2`, is('zoom', '3')], '-': [`${walk}&zoom=2`, is('zoom', '1')], 0: [`${walk}&zoom=2`, is('zoom', undefined)],
            'Shift+ArrowLeft': [`${walk}&zoom=8`, is('x', '-8')], 'Shift+ArrowRight': [`${walk}&zoom=8`, is('x', '8')],
            'Shift+ArrowUp': [`${walk}&zoom=8`, is('y', '-8')], 'Shift+ArrowDown': [`${walk}&zoom=8`, is('y', '8')],
            g: [walk, is('back', 'white')], v: [walk, is('show', 'pivot')], b: [walk, is('show', 'border')], s: [walk, is('show', 'sockets')], d: [walk, is('show', 'box')], f: [walk, is('shipped', 'true')],
            o: [walk, async (state, tab) => state.cause !== undefined && await tab.locator('#cause:focus').count()],
            a: [walk, (_, tab) => tab.locator('#accept[aria-pressed=true]').count()], r: [walk, (_, tab) => tab.locator('#reject[aria-pressed=true]').count()],
            c: [walk, (_, tab) => tab.locator('#remark:focus').count()], y: [walk, (_, tab) => tab.locator('#verdicts[open]').count()],
            '/': [walk, (_, tab) => tab.locator('#search:focus').count()], t: [walk, (_, tab) => tab.locator('html[data-theme=dark]').count()],
            '?': [walk, (_, tab) => tab.locator('#help[open]').count()],
        };
        let known = [];
        for (const [key, [fragment, holds]] of Object.entries(wanted)) {
            const tab = await open(PAGE, fragment, {colorScheme: 'light'});
            await drawn(tab);
            await tab.keyboard.press(key);
            expect(await holds(await fragmentOf(tab), tab), `key ${key}: ${JSON.stringify(await fragmentOf(tab))}`);
            if (key === '?')
                known = await tab.evaluate(() => KEYS.flatMap(([keys]) => keys));
            await tab.context().close();
        }
        same(known.filter(key => !(key in wanted)), [], 'keys of the page without a test');
    },

    async 'the fragment opens the very view'() {
        const tab = await open(PAGE, '', {reducedMotion: 'reduce'});
        await drawn(tab);
        for (const key of ['j', '5', 'm', '+', 'v', 'b', 'g', 'ArrowRight', 'ArrowRight'])
            await tab.keyboard.press(key);
        await tab.waitForFunction(() => location.hash.includes('view=difference') && location.hash.includes('frame='));
        const fragment = `#${new URLSearchParams(await fragmentOf(tab))}`, picture = await tab.locator('#stage').screenshot();
        await drawn(tab);
        const other = await open(PAGE, fragment, {reducedMotion: 'reduce'});
        await drawn(other);
        same(`#${new URLSearchParams(await fragmentOf(other))}`, fragment, 'the fragment after opening it');
        expect(picture.equals(await other.locator('#stage').screenshot()), 'the fragment opens another picture');
        for (const wrong of ['#view=none&zoom=x&t=-1&sheet=none', '#frame=none&clip=none&pass=none&amp=3', '#%E0%A4%A'])
            await drawn(await open(PAGE, wrong));
        await Promise.all([tab, other].map(each => each.context().close()));
    },

    async 'less motion: nothing plays or blinks by itself'() {
        for (const [reducedMotion, moves] of [['reduce', false], ['no-preference', true]]) {
            const tab = await open(PAGE, '#sheet=diff/run&clip=run/front', {reducedMotion});
            await drawn(tab);
            const looks = [];
            for (let i = 0; i < 6; i++, await tab.waitForTimeout(130))
                looks.push(await tab.locator('#stage').getAttribute('data-drawn'));
            expect((new Set(looks).size > 1) === moves, `with ${reducedMotion}, playing showed ${new Set(looks).size} pairs`);
            await tab.goto(`${pathToFileURL(PAGE)}#sheet=diff/run&clip=run/front&view=blink&t=0`);
            await tab.reload();
            await drawn(tab);
            const sides = new Set();
            for (let i = 0; i < 20; i++, await tab.waitForTimeout(100))
                sides.add(await tab.locator('#one figcaption').textContent());
            expect((sides.size > 1) === moves, `with ${reducedMotion}, blinking showed ${[...sides]}`);
            await tab.context().close();
        }
    },

    async 'nothing changed: it says so, and has no list and no verdicts'() {
        const path = join(work, 'diff/none.html');
        writeFileSync(path, pageOf({...data, sheets: [], totals: {...data.totals, sheets: {same: 1}}}));
        const tab = await open(path, '', {viewport: {width: 480, height: 900}});
        same(await tab.locator('#none').textContent(), 'Nothing changed. The only sheet is the same on both sides.', 'what it says');
        same(await tab.locator('button:visible').allTextContents(), ['Theme', 'Keys'], 'its buttons');
        await tab.keyboard.press('j');
        await tab.context().close();
    },

    async 'list: groups, search, filter, verdicts'() {
        const tab = await open(PAGE, '#t=0'), names = () => namesIn(tab);
        await drawn(tab);
        same(await names(), listed().map(({name}) => name), 'the list');
        same(await tab.locator('#list h2 .foreign').allTextContents(), [...new Set(listed().map(({cause}) => data.causes[cause].text))], 'the causes');
        expect((await tab.locator('#unchanged').textContent()).startsWith('1 sheet '), 'the sheet without a change is not counted');
        await tab.fill('#search', 'skin');
        same(await names(), ['diff/run'], 'what a search in causes finds');
        await tab.fill('#search', '');
        await tab.getByRole('button', {name: 'removed 1'}).click();
        same(await names(), ['diff/gone'], 'the removed sheets');
        await tab.locator('#list b').click();
        await tab.getByRole('button', {name: 'Reject', exact: true}).click();
        await tab.getByRole('button', {name: 'Comment', exact: true}).click();
        await tab.fill('#remark', 'who took\nit?');
        await tab.getByRole('button', {name: 'without verdict'}).click();
        same((await names()).includes('diff/gone'), false, 'a sheet with a verdict among those without');
        await tab.getByRole('button', {name: 'Verdicts', exact: true}).click();
        const text = await tab.locator('#text').inputValue();
        expect(/\n### Rejected: 1\n\n- diff\/gone: removed\n  > who took it\?\n\n### Without a verdict: 5\n$/.test(text), `verdicts as text: ${text}`);
        const gone = data.sheets.find(({name}) => name === 'diff/gone');
        expect(text.includes(`\n\n\`\`\`\n${gone.accept.replace('accept', 'reject')}: who took it?\n\`\`\`\n\n### Rejected`), `lines that a check reads: ${text}`);
        const [file] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('link', {name: 'Save as text'}).click()]);
        same(readFileSync(await file.path(), 'utf8'), text, 'the saved verdicts');
        await tab.getByRole('button', {name: 'Copy'}).click();
        await tab.getByRole('button', {name: 'Copied'}).waitFor();
        await tab.reload();
        await tab.evaluate(() => act({sheet: 'diff/gone'}));
        same(await tab.locator('#reject').getAttribute('aria-pressed'), 'true', 'a verdict after opening the page again');
        await tab.context().close();
    },

    async 'a folder: pictures beside the page, the same views'() {
        expect(readdirSync(join(work, 'diff/folder/index@files')).length > 0, 'there are no pictures');
        for (const view of VIEWS) {
            const looks = [];
            for (const page of [PAGE, FOLDER]) {
                const tab = await open(page, shown('diff/run', {clip: 'run/front', t: 250, view, side: 'after'}), {reducedMotion: 'reduce'});
                await drawn(tab);
                looks.push(await pixelsOf(`data:image/png;base64,${(await tab.locator('#stage').screenshot()).toString('base64')}`));
                await tab.context().close();
            }
            /* A browser rounds pixels with alpha of a WebP otherwise than those of a PNG; differences are shown amplified. */
            const worst = looks[0].data.reduce((most, value, i) => Math.max(most, Math.abs(value - looks[1].data[i])), looks[0].data.length === looks[1].data.length ? 0 : 999);
            expect(worst <= (['difference', 'heat'].includes(view) ? 16 : 2), `${view} looks otherwise in a folder: by ${worst} levels`);
        }
    },

    async 'hostile names change nothing'() {
        const evil = ['</script><script>window.hit = 1</script>', '<img src=x onerror="window.hit = 1">', `"'><b>`, '\u202egnp.exe\u2066', 'x'.repeat(4096),
                      '<!--<script>', '\u2028 \u2029', '__proto__', '{{constructor}}', '${window.hit = 1}', '../../etc/passwd', '&lt;&amp;'];
        const hostile = structuredClone(data);
        hostile.sheets = evil.map((name, i) => {
            const sheet = structuredClone(data.sheets[i % data.sheets.length]);
            Object.assign(sheet, {name, job: name, reason: evil[(i + 1) % evil.length], warnings: {added: evil, removed: evil}});
            Object.assign(sheet.facts, {after: Object.fromEntries(evil.map(text => [text, text]))});
            for (const clip of sheet.clips)
                clip.name = evil[(i + 2) % evil.length] + clip.name;
            return sheet;
        });
        hostile.causes.forEach((cause, i) => cause.text = evil[i]);
        writeFileSync(join(work, 'diff/hostile.html'), pageOf(hostile));
        /* The other page is of folders with such a name, as the program itself writes it. */
        for (const page of ['diff/hostile.html', 'diff/named.html']) {
            const tab = await open(join(work, page), '', {reducedMotion: 'reduce'});
            await drawn(tab);
            for (let i = 0; i < evil.length + 1; i++) {
                await tab.keyboard.press('j');
                await tab.waitForTimeout(30);
            }
            await tab.keyboard.press('y');
            same(await tab.evaluate(() => [window.hit ?? null, document.querySelectorAll('img, b:not(#list b, #tiles b, #figures b)').length]), [null, 0], `${page}: what names did`);
            const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            expect(wide <= 0, `${page}: is ${wide} pixels wider than the window`);
            await tab.context().close();
        }
        const named = dataOf(readFileSync(join(work, 'diff/named.html'), 'utf8')).before.name;
        expect(named.includes('</script>'), `the folder's name is ${named}`);
    },

    async 'axe finds nothing, at 1280 and 480 pixels, in dark and in light'() {
        mkdirSync(join(work, 'pictures'), {recursive: true});
        for (const [width, height] of [[1280, 800], [480, 900]])
            for (const colorScheme of ['light', 'dark']) {
                const tab = await open(PAGE, '', {viewport: {width, height}, colorScheme, reducedMotion: 'reduce'});
                await drawn(tab);
                await tab.evaluate(AXE);
                const look = async name => {
                    const found = await tab.evaluate(async () => (await axe.run()).violations.map(({id, nodes}) => `${id}: ${nodes.map(({html}) => html.slice(0, 100)).join(', ')}`));
                    same(found, [], `axe at ${width} pixels, ${colorScheme}, ${name}`);
                    expect(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than ${width} pixels`);
                    await tab.screenshot({path: join(work, `pictures/diff-${name}-${width}-${colorScheme}.png`)});
                };
                for (const [i, view] of VIEWS.entries()) {
                    await tab.keyboard.press(`${i + 1}`);
                    await drawn(tab);
                    await tab.waitForTimeout(100);
                    await look(view);
                }
                if (width < 760)
                    await tab.locator('#drawer').click();
                await look('list');
                if (width < 760) {
                    await tab.locator('#list b').first().click();
                    expect(!await tab.locator('#side').isVisible(), 'the list stays open over the sheet that was chosen');
                }
                await tab.keyboard.press('o');
                await look('overview');
                await tab.keyboard.press('o');
                await tab.keyboard.press('c');
                await tab.keyboard.press('Escape');
                for (const [key, name] of [['?', 'help'], ['y', 'verdicts']]) {
                    await tab.keyboard.press(key);
                    await look(name);
                    await tab.keyboard.press('Escape');
                }
                await tab.context().close();
            }
    },

    async 'the keyboard reaches every control'() {
        const tab = await open(PAGE, '#t=0&view=swipe');
        await drawn(tab);
        const all = await tab.evaluate(() => [...document.querySelectorAll('button, input, select, [tabindex="0"]')].filter(node => node.offsetParent && !node.disabled && node.tabIndex >= 0).length);
        const reached = new Set();
        for (let i = 0; i < all + 20; i++) {
            await tab.keyboard.press('Tab');
            reached.add(await tab.evaluate(() => { const node = document.activeElement; return [...document.querySelectorAll('*')].indexOf(node); }));
        }
        expect(reached.size >= all, `of ${all} controls, Tab reaches ${reached.size}`);
        await tab.context().close();
    },

    async '10,000 sheets, 100 of them changed, and 10,000 that all changed'() {
        for (const [name, count, limit] of [['hundred', 100, 1000], ['thousands', 10000, 2500]]) {
            const large = {...data, sheets: Array.from({length: count}, (_, i) => {
                const sheet = data.sheets[i % data.sheets.length];
                return {...sheet, name: `units/unit-${i}`, ...(i < 100 ? {} : {strips: null, clips: []})};
            }), totals: {...data.totals, sheets: {changed: count, same: 10000 - count}}};
            /* As many bytes of pictures as the program allows. */
            const filler = `<script type="text/plain" id="filler">${'A'.repeat(25e6 - html.length)}</script>`;
            const path = join(work, `diff/${name}.html`);
            writeFileSync(path, pageOf(large).replace('</body>', () => `${filler}</body>`));
            const tab = await open(path, '', {reducedMotion: 'reduce'});
            await drawn(tab);
            const paint = await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
            const nodes = await tab.evaluate(() => document.querySelectorAll('*').length);
            const gaps = await tab.evaluate(() => new Promise(done => {
                const area = document.getElementById('rows'), gaps = [];
                let last = performance.now(), step = 0;
                const next = now => {
                    gaps.push(now - last);
                    last = now;
                    area.scrollTop += 400;
                    ++step < 60 ? requestAnimationFrame(next) : done(gaps.slice(1).sort((a, b) => a - b));
                };
                requestAnimationFrame(next);
            }));
            const heap = await tab.evaluate(() => performance.memory.usedJSHeapSize / 1e6);
            console.log(`    ${count} changed: first paint after ${Math.round(paint)} ms, ${nodes} elements, frames of ${Math.round(gaps[30])} ms while scrolling, the worst ${Math.round(gaps.at(-1))} ms, heap ${Math.round(heap)} MB`);
            expect(paint < limit, `${count} changed: first paint after ${Math.round(paint)} ms`);
            expect(nodes < 900, `${count} changed: the page has ${nodes} elements`);
            expect(gaps[54] < 100, `${count} changed: while scrolling, one picture in ten takes ${Math.round(gaps[54])} ms`);
            await tab.context().close();
        }
    },
};

/* The sheets as the list has them. */
const listed = () => data.sheets;
const namesIn = tab => tab.$$eval('#list b', each => each.map(one => one.closest('button').title));

/* The frame of a sheet with the largest mean difference. */
const worstOf = name => data.sheets.find(sheet => sheet.name === name).clips.flatMap(({frames}) => frames)
    .reduce((most, frame) => (frame.change?.mean ?? 0) > (most?.change?.mean ?? 0) ? frame : most, null).name;

const good = await run('the page of diff', tests);
await browser.close();
process.exit(good ? 0 : 1);
