/* node gallery.mjs MODULES WORK CHROMIUM: opens the gallery of WORK/sheets from file://, uses it as people do, and compares
 * what its canvases show with the sheets. */
import {cpSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expect, launch, newTab, problems, readAxe, run, same, work} from './checks.mjs';

const AXE = readAxe();
const sheets = join(work, 'sheets'), pictures = join(work, 'pictures');

/* With the last option a test may read the pixels of canvases; pages do not need it, and most tests go without. */
const plain = await launch(), reader = await launch('--allow-file-access-from-files');

async function open(fragment = '', options = {}, browser = plain, folder = sheets) {
    const tab = await newTab(browser, options);
    await tab.goto(pathToFileURL(join(folder, 'index.html')) + fragment);
    await tab.waitForSelector('#tiles li, #sheet h1, #none:not([hidden])', {state: 'attached'});
    await tab.waitForTimeout(400);
    return tab;
}
const names = tab => tab.$$eval('#tiles a', links => links.map(link => link.title));
const fragmentOf = async tab => Object.fromEntries(new URLSearchParams(await tab.evaluate(() => location.hash.slice(1))));
const focused = tab => tab.evaluate(() => document.activeElement.title || document.activeElement.tagName);
const digest = (tab, canvas) => tab.$eval(canvas, each => each.toDataURL().slice(-4000) + each.toDataURL().length);
async function changes(tab, canvas) { // how many of some pictures, taken one after another, differ
    const seen = new Set();
    for (let i = 0; i < 12; i++) {
        seen.add(await digest(tab, canvas));
        await tab.waitForTimeout(70);
    }
    return seen.size;
}

/* How far the pixels of a canvas are from those of a frame, drawn as large as fits between the edges by whole pixels. */
const difference = (tab, canvas, url, place, edge = 0) => tab.$eval(canvas, async (each, [url, place, edge]) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.max(1, Math.floor(Math.min((each.width - edge) / place.cell.w, (each.height - edge) / place.cell.h)));
    const other = new OffscreenCanvas(each.width, each.height), context = other.getContext('2d');
    context.imageSmoothingEnabled = false;
    context.drawImage(image, place.frame.x, place.frame.y, place.frame.w, place.frame.h, Math.round(each.width / 2 - place.cell.w / 2 * scale) + place.cut.x * scale,
        Math.round(each.height / 2 - place.cell.h / 2 * scale) + place.cut.y * scale, place.frame.w * scale, place.frame.h * scale);
    const a = each.getContext('2d').getImageData(0, 0, each.width, each.height).data, b = context.getImageData(0, 0, each.width, each.height).data;
    let most = 0, drawn = 0;
    for (let i = 0; i < a.length; i++) {
        most = Math.max(most, Math.abs(a[i] - b[i]));
        drawn += i % 4 === 3 && b[i] > 0;
    }
    return [most, drawn > 100];
}, [url, place, edge]);
const DATA = /(<script type="application\/json" id="data">)(.*?)(<\/script>)/s;
const html = readFileSync(join(sheets, 'index.html'), 'utf8'), data = JSON.parse(html.match(DATA)[2]);
/* The page with other data, escaped as the program does. */
const pageOf = data => html.replace(DATA, (_, a, b, c) => a + JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) + c);
const jsonOf = name => JSON.parse(readFileSync(join(sheets, `${name}.json`)));
const placeOf = frame => ({frame: frame.frame, cut: frame.spriteSourceSize ?? {x: 0, y: 0}, cell: frame.sourceSize ?? frame.frame});

/* The frame with the greatest sum of alphas. */
const fullest = (tab, url, frames) => tab.evaluate(async ([url, frames]) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const sums = frames.map(({frame: {x, y, w, h}}) => context.getImageData(x, y, w, h).data.reduce((sum, value, i) => i % 4 === 3 ? sum + value : sum, 0));
    return frames[sums.indexOf(Math.max(...sums))];
}, [url, frames]);

/* Turns the wheel a hundred times, and returns how many megabytes the largest process of a page then takes. */
async function scrolled(tab, by) {
    await tab.evaluate(() => scrollTo(0, 0));
    await tab.mouse.move(640, 400);
    for (let i = 0; i < 100; i++) {
        await tab.mouse.wheel(0, by);
        await tab.waitForTimeout(40);
    }
    await tab.waitForTimeout(500);
    const {processInfo} = await (await plain.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
    return Math.max(...processInfo.filter(({type}) => type === 'renderer').map(({id}) =>
        Math.round(parseInt(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8').match(/^Pss:\s+(\d+)/m)[1]) / 1024)));
}

async function axe(tab, text) {
    await tab.evaluate(AXE);
    const found = await tab.evaluate(() => axe.run({preload: false}));
    for (const {id, nodes} of found.violations) expect(false, `axe, ${text}: ${id}: ${nodes[0].html.slice(0, 200)}`);
    expect(found.passes.length > 15, `axe, ${text}: ${found.passes.length} rules pass`);
}

const tests = {
    'tiles show their sheets, and play under the pointer and with the focus': async () => {
        const tab = await open('', {}, reader), all = await names(tab);
        expect(all.length >= 3, `${all.length} tiles`);
        same(await tab.getAttribute('#moving', 'aria-pressed'), 'true', 'cards play by themselves');
        await tab.keyboard.press('p');
        same([await tab.getAttribute('#moving', 'aria-pressed'), (await fragmentOf(tab)).moving], ['false', '0'], 'the switch after p');
        await tab.waitForTimeout(300);
        const best = await fullest(tab, `${all[0]}.png`, Object.values(jsonOf(all[0]).frames));
        same(await difference(tab, '#tiles li canvas', `${all[0]}.png`, placeOf(best)), [0, true], 'the still shows most');
        const moving = all.findIndex(name => Object.values(jsonOf(name).animations)[0]?.length > 4), canvas = `#tiles li:nth-child(${moving + 1}) canvas`;
        const still = await digest(tab, canvas);
        same(await changes(tab, canvas), 1, 'pictures of a tile at rest');
        await tab.hover(canvas);
        expect(await changes(tab, canvas) > 2, 'a tile under the pointer does not play');
        await tab.mouse.move(2, 2);
        await tab.waitForTimeout(200);
        expect(await digest(tab, canvas) === still, 'the still does not come back');
        await tab.focus(`#tiles li:nth-child(${moving + 1}) a`);
        expect(await changes(tab, canvas) > 2, 'a tile with the focus does not play');
        await tab.context().close();
        const calm = await open('', {reducedMotion: 'reduce'}, reader);
        await calm.hover(canvas);
        same(await changes(calm, canvas), 1, 'pictures of a tile with reduced motion');
        await calm.context().close();
    },
    'cards in view play by themselves, a switch stops them': async () => {
        const tab = await open('', {viewport: {width: 1280, height: 300}}, reader), all = await names(tab);
        const canvas = n => `#tiles li:nth-child(${n}) canvas`, playing = () => tab.evaluate(() => [...tiles.values()].filter(tile => tile.cells).map(tile => tile.row.name));
        await tab.waitForFunction(() => tiles.get(0).cells && tiles.get(1).cells);
        expect(await changes(tab, canvas(1)) > 1 && await changes(tab, canvas(2)) > 1, 'cards in view do not play');
        const columns = await tab.evaluate(() => columns);
        same((await playing()).length, columns, 'cards that play, of one line in view');
        await tab.evaluate(() => scrollTo(0, 1e6));
        await tab.waitForTimeout(900);
        expect((await playing()).includes(all.at(-1)), `after scrolling, these play: ${await playing()}`);
        expect((await tab.evaluate(() => [...tiles.values()].filter(tile => tile.index < columns && tile.cells).length)) === 0, 'cards out of view play');
        await tab.click('#moving');
        same([await playing(), await tab.getAttribute('#moving', 'aria-pressed')], [[], 'false'], 'what plays after the switch');
        await tab.click('#moving');
        await tab.reload();
        await tab.waitForTimeout(1200);
        expect((await playing()).length > 0, 'nothing plays once the switch is on again');
        await tab.context().close();
        const calm = await open('', {reducedMotion: 'reduce'}, reader);
        same([await calm.getAttribute('#moving', 'aria-pressed'), await changes(calm, canvas(1))], ['false', 1], 'with less motion');
        await calm.click('#moving');
        await calm.waitForFunction(() => tiles.get(0).cells);
        expect(await changes(calm, canvas(1)) > 1, 'with less motion, the switch does not turn it on');
        await calm.context().close();
    },
    'cards of any size, filters that fold away': async () => {
        const tab = await open('', {reducedMotion: 'reduce'}, reader), widths = async () => parseInt(await tab.$eval('#tiles li', item => item.style.width));
        const small = await widths();
        await tab.getByLabel('Size').press('End');
        await tab.waitForTimeout(300);
        const large = await widths();
        expect(small < 200 && large > 350, `the cards are ${small} and ${large} pixels wide`);
        same((await fragmentOf(tab)).size, '384', 'the size in the fragment');
        const again = await open('#size=384', {}, reader);
        same(parseInt(await again.$eval('#tiles li', item => item.style.width)), large, 'the cards of that fragment');
        await again.context().close();
        same([data.sheets.length < 24, await tab.isVisible('#filters')], [true, false], 'the filters of few sheets');
        await tab.getByRole('button', {name: 'Filters'}).click();
        same([await tab.isVisible('#filters'), await tab.getAttribute('#more', 'aria-expanded')], [true, 'true'], 'after the button');
        await tab.context().close();
        const filtered = await open('#sort=frames');
        same(await filtered.isVisible('#filters'), true, 'filters that the fragment uses');
        await filtered.context().close();
        const path = join(sheets, 'many.html');
        writeFileSync(path, pageOf({...data, sheets: Array.from({length: 30}, (_, i) => ({...data.sheets[0], name: `sheet-${i}`}))}));
        const many = await newTab(plain);
        await many.goto(pathToFileURL(path).href);
        same([await many.isVisible('#filters'), await many.isVisible('#more')], [true, false], 'the filters of many sheets');
        for (const width of [760, 400]) {
            await many.setViewportSize({width, height: 800});
            same([await many.isVisible('#filters'), await many.isVisible('#more')], [false, true], `the filters of many sheets at ${width} pixels`);
            await many.getByRole('button', {name: 'Filters'}).click();
            same(await many.isVisible('#filters'), true, `after the button at ${width} pixels`);
            await many.getByRole('button', {name: 'Filters'}).click();
        }
        await many.context().close();
        rmSync(path);
    },
    'a job without pages: its card says that it failed, its sheet why': async () => {
        const path = join(sheets, 'absent.html'), why = 'models/no.md2: there is no such file';
        const absent = {id: '', name: 'gone/orc', folder: 0, problem: why, absent: true, still: null, picture: null, frames: 0, facts: {}, warnings: [], animations: [], findings: []};
        writeFileSync(path, pageOf({...data, sheets: [absent, ...data.sheets]}));
        for (const width of [1280, 760, 400]) {
            const tab = await newTab(plain, {viewport: {width, height: 800}});
            await tab.goto(pathToFileURL(path).href);
            const card = tab.locator('#tiles a[title="gone/orc"]');
            same([await card.locator('small').first().textContent(), await card.locator('.mark').textContent(), await card.locator('.mark').getAttribute('title')], ['not made', 'failed', why], `the card at ${width} pixels`);
            await card.click();
            same([await tab.locator('#notes').textContent(), await tab.locator('#view').isVisible()], [why, false], `the sheet at ${width} pixels`);
            await tab.keyboard.press('Escape');
            await tab.context().close();
        }
        rmSync(path);
    },
    'a stale sheet: its card says so, and its view why': async () => {
        const path = join(sheets, 'stale.html'), why = 'input models/orc.md2 changed', [first, ...others] = data.sheets;
        writeFileSync(path, pageOf({...data, sheets: [{...first, stale: why}, ...others]}));
        const tab = await newTab(plain);
        await tab.goto(pathToFileURL(path).href);
        same([await tab.locator('.mark', {hasText: 'stale'}).count(), await tab.locator('.mark', {hasText: 'stale'}).getAttribute('title')], [1, why], 'the cards');
        await tab.locator(`#tiles a[title="${first.name}"]`).click();
        await tab.locator('#view').waitFor();
        expect((await tab.locator('#notes').textContent()).endsWith(why), 'the view does not say why');
        await tab.context().close();
        rmSync(path);
    },
    'search, filters and the fragment': async () => {
        const tab = await open(), all = await names(tab);
        await tab.click('#more');
        await tab.fill('#q', all[1].slice(0, 3).toUpperCase());
        const found = await names(tab);
        expect(found.includes(all[1]) && found.length < all.length, `found ${found}`);
        same((await fragmentOf(tab)).q, all[1].slice(0, 3).toUpperCase(), 'the search in the fragment');
        await tab.click('#clear');
        same(await names(tab), all, 'after Clear');
        const clip = await tab.$eval('[name=clip] option:nth-child(2)', option => option.value);
        await tab.selectOption('[name=clip]', clip);
        same(await names(tab), all.filter(name => Object.keys(jsonOf(name).meta.sheetbake.animations).some(each => each.startsWith(`${clip}/`))), `sheets with ${clip}`);
        await tab.click('#clear');
        await tab.selectOption('[name=sort]', 'triangles');
        const sorted = await names(tab), counts = new Map(await tab.$$eval('#tiles a', links => links.map(link => [link.title, parseInt(link.innerText.match(/([\d,]+) tri/)[1].replace(',', ''))])));
        expect(sorted.every((name, i) => !i || counts.get(sorted[i - 1]) >= counts.get(name)), `by triangles: ${[...counts]}`);
        const most = counts.get(sorted[0]);
        await tab.fill('[name=least]', String(most));
        same(await names(tab), sorted.filter(name => counts.get(name) >= most), 'with the most triangles');
        const again = await open(await tab.evaluate(() => location.hash));
        same(await names(again), await names(tab), 'the fragment in another tab');
        await again.fill('#q', 'no such thing');
        expect(await again.isVisible('#none'), 'nothing says that no sheet matches');
        await again.context().close();
        await tab.context().close();
    },
    'keys and the view of a sheet': async () => {
        const tab = await open('', {}, reader), all = await names(tab);
        await tab.keyboard.press('ArrowRight');
        await tab.keyboard.press('ArrowRight');
        same(await focused(tab), all[1], 'after an arrow');
        await tab.keyboard.press('End');
        same(await focused(tab), all.at(-1), 'after End');
        await tab.keyboard.press('Home');
        await tab.keyboard.press('Enter');
        await tab.waitForSelector('#one .base');
        same((await fragmentOf(tab)).sheet, all[0], 'the sheet in the fragment');
        const json = jsonOf(all[0]), clips = Object.keys(json.meta.sheetbake.animations).sort();
        same((await tab.$$eval('.clips button', each => each.map(one => one.title))).sort(), clips, 'the clips');
        await tab.waitForTimeout(300);
        const playing = await changes(tab, '#one .base');
        await tab.keyboard.press('Space');
        same([playing > 2, await changes(tab, '#one .base')], [true, 1], 'playing, then stopped');
        const first = await tab.evaluate(() => state.clip);
        await tab.keyboard.press('.');
        for (let i = 0; i < 3; i++) await tab.keyboard.press('ArrowRight');
        const {play} = await fragmentOf(tab), list = json.animations[play];
        await tab.waitForTimeout(200);
        same(await difference(tab, '#one .base', `${all[0]}.png`, placeOf(json.frames[list[3 % list.length]]), 8), [0, true], `frame 3 of ${play}`);
        for (const key of ['v', 's', 'b', 'g', '+', ']']) await tab.keyboard.press(key);
        same(await tab.$eval('#stage', each => each.className), 'zoomed black', 'the stage after g and +');
        same(await tab.$$eval('#marks [aria-pressed=true]', each => each.map(one => one.textContent)), ['Pivot', 'Border', 'Sockets'], 'after v, s and b');
        same(await tab.textContent('#backs [aria-pressed=true]'), 'Black', 'after g');
        for (const key of ['-', 't', ',']) await tab.keyboard.press(key);
        same([await tab.getAttribute('html', 'data-theme'), (await fragmentOf(tab)).play], ['dark', first], 'after t and ,');
        await tab.keyboard.press('j');
        await tab.waitForTimeout(200);
        same((await fragmentOf(tab)).sheet, all[1], 'after j');
        await tab.keyboard.press('Escape');
        await tab.waitForTimeout(200);
        same([await focused(tab), (await fragmentOf(tab)).sheet], [all[1], undefined], 'after Escape');
        await tab.keyboard.press('?');
        expect(await tab.isVisible('#help'), 'no help after ?');
        await tab.context().close();
    },
    'light and dark, wide and narrow, axe': async () => {
        mkdirSync(pictures, {recursive: true});
        for (const colorScheme of ['light', 'dark'])
            for (const width of [1280, 480]) {
                const tab = await open('', {colorScheme, viewport: {width, height: 900}, bypassCSP: true}), all = await names(tab);
                for (const [view, fragment] of [['gallery', '#'], ['sheet', `#sheet=${encodeURIComponent(all[0])}`], ['none', '#q=nothing']]) {
                    await tab.evaluate(to => { location.hash = to; }, fragment);
                    await tab.waitForTimeout(400);
                    if (view === 'gallery' && width === 480) await tab.click('#more');
                    await axe(tab, `${view}, ${colorScheme}, ${width}`);
                    expect(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view}, ${width}: wider than the window`);
                    await tab.screenshot({path: join(pictures, `gallery-${view}-${colorScheme}-${width}.png`)});
                }
                await tab.context().close();
            }
    },
    'hostile names change nothing': async () => {
        const folder = join(work, 'hostile'), hostile = ['</script><script>hit=1</script>', '"><img src=x onerror=hit=1>', '\u202Egnp.exe\u2066', '__proto__', 'javascript:hit=1', 'x'.repeat(4096)];
        rmSync(folder, {recursive: true, force: true});
        mkdirSync(join(folder, 'index@files/sheets'), {recursive: true});
        const idOf = i => `${i}`.repeat(16), frame = name => ({name, time: 0, duration: 100, size: [8, 8], pivot: [.5, .5], sockets: {[name]: [1, 1]}, page: 0, place: [0, 0, 8, 8, 0, 0]});
        const finding = name => ({rule: 'cut_cells', level: 'failure', text: name, told: name, cell: name, place: name});
        const rows = hostile.map((name, i) => ({id: idOf(i), key: '', name, folder: 0, problem: null, still: frame(name), picture: 'https://127.0.0.1/x.png', frames: 1,
            facts: {triangles: '5', missing_textures: '1', model: name}, warnings: [name], findings: [finding(name)], animations: [name]}));
        writeFileSync(join(folder, 'index.html'), pageOf({title: hostile[0], folders: ['./'], sheets: rows}));
        hostile.forEach((name, i) => writeFileSync(join(folder, `index@files/sheets/${idOf(i)}.js`), `addSheet("${idOf(i)}", ${JSON.stringify({
            pages: [[[name, 'x.png']]], files: [{path: name, bytes: 1}], clips: [{name: `${name}/${name}`, loop: true, frames: [frame(name)]}],
            settings: {[name]: name}, inputs: [name], absent: [name], renderer: name})});`));
        const tab = await (await plain.newContext({viewport: {width: 480, height: 900}})).newPage();
        tab.on('pageerror', error => problems.push(`the page threw: ${error.stack}`));
        await tab.goto(pathToFileURL(join(folder, 'index.html')).href);
        await tab.waitForTimeout(500);
        same(await names(tab), hostile, 'the names');
        for (const name of hostile) {
            await tab.evaluate(each => { location.hash = new URLSearchParams({sheet: each}); }, name);
            await tab.waitForTimeout(150);
            same(await tab.$eval('#sheet h1', each => each.textContent), name, 'the title');
            expect(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name.slice(0, 20)}: wider than the window`);
        }
        same(await tab.evaluate(() => [typeof hit, document.querySelectorAll('main img, main script, head script:not([src])').length]), ['undefined', 0], 'what names did');
        same([await tab.isVisible('#stage'), await tab.isVisible('output')], [true, false], 'one frame has nothing to play: the picture, its controls');
        await tab.context().close();
    },
    'a picture that is cut off or missing is said on its tile': async () => {
        const folder = join(work, 'torn'), all = ['near', 'near-packed', 'plain'];
        rmSync(folder, {recursive: true, force: true});
        cpSync(sheets, folder, {recursive: true});
        writeFileSync(join(folder, 'near.png'), readFileSync(join(sheets, 'near.png')).subarray(0, 30000));
        rmSync(join(folder, 'plain.png'));
        const tab = await (await plain.newContext({viewport: {width: 1280, height: 800}})).newPage();
        await tab.goto(pathToFileURL(join(folder, 'index.html')).href);
        await tab.waitForTimeout(600);
        for (const name of all) same(await tab.$eval(`#tiles a[title="${name}"] .marks`, each => each.textContent), name === 'near-packed' ? '' : 'damaged picture', name);
        await tab.context().close();
    },
    '10,000 sheets': async () => {
        const folder = join(work, 'many'), list = structuredClone(data);
        rmSync(folder, {recursive: true, force: true});
        cpSync(join(sheets, 'index@files'), join(folder, 'index@files'), {recursive: true});
        list.folders = ['../sheets/'];
        mkdirSync(join(folder, 'p')); // each has a picture of its own, so that no cache can help
        list.sheets = Array.from({length: 10000}, (_, i) => {
            const row = data.sheets[i % data.sheets.length], picture = `../many/p/${i}.png`;
            linkSync(join(sheets, row.picture), join(folder, 'p', `${i}.png`));
            return {...row, name: `sheet-${String(i).padStart(5, '0')}`, picture};
        });
        writeFileSync(join(folder, 'index.html'), pageOf(list));
        const tab = await open('', {}, plain, folder);
        const paint = await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
        expect(paint < 1000, `first paint after ${paint} ms`);
        expect((await names(tab)).length < 100, `${(await names(tab)).length} tiles for one window`);
        await tab.focus('#tiles a');
        for (let i = 0; i < 15; i++) await tab.keyboard.press('PageDown');
        await tab.keyboard.press('End');
        await tab.waitForTimeout(300);
        same(await focused(tab), 'sheet-09999', 'after End');
        expect((await names(tab)).length < 100, 'tiles stay in the page after they were scrolled past');
        const slowly = await scrolled(tab, 500), fast = await scrolled(tab, 4000);
        console.log(`    10,000 sheets: first paint after ${Math.round(paint)} ms; the page takes ${slowly} MB after 100 slow turns of the wheel, ${fast} MB after as many fast ones`);
        expect(slowly < 450 && fast < 450, `${slowly} MB after slow scrolling, ${fast} MB after fast`);
        await tab.fill('#q', '0777');
        same((await names(tab)).length, 11, 'found of 0777'); // 00777 and 07770 to 07779
        await tab.context().close();
    },
};

const good = await run('the gallery', tests);
await plain.close();
await reader.close();
process.exit(good ? 0 : 1);
