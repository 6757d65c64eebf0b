/* node history.mjs MODULES WORK CHROMIUM: opens the page of `history` that tests/browser/run left in WORK/history, and goes
 * through the versions of its sheets as a reader does. */
import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expect, launch, newTab, problems, readAxe, run, same, work} from './checks.mjs';

const AXE = readAxe();
const PAGE = join(work, 'history/page.html');
const browser = await launch();
/* "SUBJECT" -> "1a2b3c4", as git says. */
const ids = Object.fromEntries(execFileSync('git', ['-C', join(work, 'history/repo'), 'log', '--format=%h %s'], {encoding: 'utf8'}).trim().split('\n').map(line => [line.slice(8), line.slice(0, 7)]));

async function open(fragment = '', options = {}) {
    const tab = await newTab(browser, {reducedMotion: 'reduce', ...options});
    await tab.goto(pathToFileURL(PAGE) + fragment);
    await tab.waitForFunction(() => document.readyState === 'complete' && document.getElementById('stage').dataset.drawn !== undefined, null, {timeout: 10000})
        .catch(() => problems.push(`nothing was drawn: ${tab.url()}`));
    return tab;
}
const of = (sheet, subject) => `#${new URLSearchParams({sheet: `${sheet}@${ids[subject]}`})}`;
const texts = (tab, selector) => tab.$$eval(selector, nodes => nodes.map(node => node.textContent));
const subjectOf = tab => tab.$eval('#name > .foreign', node => node.textContent);
const stripOf = tab => texts(tab, '#versions .state');
const currentOf = tab => tab.$$eval('#versions button', buttons => buttons.findIndex(button => button.hasAttribute('aria-current')));

const PIP = ['Pip jumps, and waves no more', "Pip is larger: merge of 'side'", 'The first units'];
const PLUM = ['Plum is called grape', 'Plum is </script><b onclick="hit=1">green</b>', 'The first units'];

const tests = {
    async 'a sheet is a group, under its last name, with its versions, newest first'() {
        const tab = await open();
        same(await texts(tab, '#list h2 .foreign'), ['units/foes/twin', 'units/heroes/pip', 'units/foes/grape'], 'groups');
        same(await texts(tab, '#list b'), ['No twin', 'The first units', ...PIP, ...PLUM], 'versions');
        same((await texts(tab, '#list small:nth-of-type(2)'))[3].slice(0, 10), '2026-03-20', 'the day of the merge');
        same((await texts(tab, '#list small:nth-of-type(1)'))[3], 'changed · Grace Hopper', 'who merged');
        same(await texts(tab, '#unchanged'), ['Commits that changed no picture are left out.'], 'the foot of the list');
        same(await texts(tab, '#totals'), ['3 sheets through 6 commits: 3 changed, 1 removed, 3 added, 1 renamed'], 'totals');
        same(await tab.$eval('h1', node => node.innerText.replace(/\s+/g, ' ')), `History: nothing → to ${ids['No twin']} No twin`, 'the title');
        await tab.locator('#search').fill('grace');
        same(await texts(tab, '#list b'), [PIP[1]], 'found by the author');
        await tab.locator('#search').fill('');
        await tab.locator('#sort').selectOption('change');
        same(await texts(tab, '#list h2 .foreign'), ['units/heroes/pip', 'units/foes/grape', 'units/foes/twin'], 'sheets by their change');
        same(await texts(tab, '#list b'), [...PIP, ...PLUM, 'No twin', 'The first units'], 'versions stay in time');
        expect(!await tab.evaluate(() => window.hit), 'a text of a commit ran');
        await tab.context().close();
    },

    async 'a version says who, when and what; nobody judges it'() {
        const tab = await open(of('units/foes/plum', PLUM[1]));
        same(await subjectOf(tab), PLUM[1], 'subject');
        same(await tab.$eval('#name small', node => node.innerText), `units/foes/plum · img src=x onerror="window.hit=1 · 2026-03-12 · ${ids[PLUM[1]]}`, 'sheet, author, day, id');
        expect(!await tab.evaluate(() => window.hit), 'a text of a commit ran');
        for (const id of ['accept', 'reject', 'comment', 'report', 'accept-all'])
            expect(!await tab.locator(`#${id}`).isVisible(), `${id} is there`);
        same(await tab.locator('#filters button', {hasText: 'verdict'}).count(), 0, 'filters by verdict');
        for (const key of ['a', 'r', 'c', 'y'])
            await tab.keyboard.press(key);
        same(await texts(tab, '#list .verdict'), Array(8).fill(''), 'verdicts');
        expect(!await tab.locator('dialog').filter({visible: true}).count(), 'a dialog is open');
        await tab.context().close();
    },

    async 'a strip has the versions, oldest first, with the picture that each left'() {
        const tab = await open(of('units/foes/grape', PLUM[0]));
        same(await stripOf(tab), ['added', 'changed', 'renamed'], 'the strip goes on before the new name');
        same(await texts(tab, '#versions small'), ['2026-03-10', '2026-03-12', '2026-03-21'], 'days');
        same(await currentOf(tab), 2, 'the current version');
        await tab.waitForFunction(() => [...document.querySelectorAll('#versions .thumb')].every(node => node.style.backgroundImage), null, {timeout: 5000})
            .catch(() => problems.push('a version has no picture'));
        await tab.locator('#versions button').nth(1).click();
        same(await subjectOf(tab), PLUM[1], 'the chosen version');
        expect((await tab.locator('#versions button').nth(1).innerText()).includes('img src=x onerror="window.hit=1: Plum is'), 'its name says who and what');
        await tab.context().close();
    },

    async 'arrow keys go through time, and the clip stays'() {
        const tab = await open(`${of('units/heroes/pip', PIP[2])}&clip=walk%2Fright&view=swipe`);
        await tab.locator('#versions [aria-current]').focus();
        await tab.keyboard.press('ArrowLeft');
        same(await subjectOf(tab), PIP[2], 'nothing is older');
        await tab.keyboard.press('ArrowRight');
        same(await subjectOf(tab), PIP[1], 'right is newer');
        await tab.keyboard.press('ArrowRight');
        same([await subjectOf(tab), await currentOf(tab)], [PIP[0], 2], 'right again');
        expect(await tab.evaluate(() => document.activeElement.hasAttribute('aria-current') && !!document.activeElement.closest('#versions')), 'the focus follows');
        await tab.keyboard.press('ArrowLeft');
        const state = new URLSearchParams(await tab.evaluate(() => (writeFragment(), location.hash.slice(1))));
        same([state.get('clip'), state.get('view')], ['walk/right', 'swipe'], 'the clip and the view');
        await tab.locator('#stage').focus();
        await tab.keyboard.press('ArrowDown');
        same(await subjectOf(tab), PIP[2], 'down is older');
        await tab.keyboard.press('ArrowUp');
        await tab.keyboard.press('k');
        same(await subjectOf(tab), PIP[0], 'up is newer');
        await tab.keyboard.press('?');
        expect((await tab.locator('#help').innerText()).includes('older version'), 'the keys say so');
        await tab.context().close();
    },

    async 'the overview of a sheet has before and after of each version'() {
        const tab = await open(of('units/heroes/pip', PIP[0]));
        await tab.keyboard.press('o');
        same(await texts(tab, '#cause'), ['units/heroes/pip · 3 versions'], 'the title');
        same(await texts(tab, '#tiles b'), PIP, 'tiles');
        same(await tab.$$eval('#tiles .pair', pairs => pairs.map(pair => [...pair.querySelectorAll('.thumb')].map(node => !!node.style.backgroundImage))),
             [[false, true], [true, true], [false, true]], 'which sides have a picture');
        await tab.locator('#tiles button').nth(1).click();
        same(await subjectOf(tab), PIP[1], 'the chosen tile');
        expect(await tab.locator('#shipped').isVisible(), 'another scale is drawn in one frame');
        await tab.context().close();
    },

    async 'axe finds nothing, at 1280 and 400 pixels, in dark and in light'() {
        mkdirSync(join(work, 'pictures'), {recursive: true});
        for (const [width, height] of [[1280, 800], [400, 900]])
            for (const colorScheme of ['light', 'dark']) {
                const tab = await open(of('units/heroes/pip', PIP[1]), {viewport: {width, height}, colorScheme});
                await tab.evaluate(AXE);
                for (const name of ['version', 'overview']) {
                    name === 'overview' && await tab.keyboard.press('o');
                    const found = await tab.evaluate(async () => (await axe.run()).violations.map(({id, nodes}) => `${id}: ${nodes.map(({html}) => html.slice(0, 100)).join(', ')}`));
                    same(found, [], `axe at ${width} pixels, ${colorScheme}, ${name}`);
                    expect(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than ${width} pixels`);
                    await tab.screenshot({path: join(work, `pictures/history-${name}-${width}-${colorScheme}.png`)});
                }
                await tab.context().close();
            }
    },
};

const good = await run('the page of history', tests);
await browser.close();
process.exit(good ? 0 : 1);
