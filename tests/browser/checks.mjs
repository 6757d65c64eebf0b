/* What the tests of our pages share: their arguments, their checks, and Chromium. */
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';

export const [modules, work, executablePath] = process.argv.slice(2).map(path => resolve(path));
export const library = createRequire(join(modules, 'x.js'));

export const problems = [];
let checks = 0;

export function expect(is, text) {
    checks++;
    if (!is)
        problems.push(text);
}
export const same = (a, b, text) => expect(JSON.stringify(a) === JSON.stringify(b), `${text}: ${JSON.stringify(a)}, not ${JSON.stringify(b)}`);

/* Prints what the checks found so far; whether that is nothing. */
export function report(name) {
    console.log(`${problems.length ? 'FAILED' : 'ok'}  ${name}: ${checks} checks`);
    for (const text of [...new Set(problems)].slice(0, 20))
        console.log(`    ${text.slice(0, 1000)}`);
    return !problems.length;
}

/* Runs the functions by their names, or those whose names have $ONLY in them; whether all were good. */
export async function run(page, tests) {
    let good = true;
    for (const [name, test] of Object.entries(tests)) {
        if (process.env.ONLY && !name.includes(process.env.ONLY))
            continue;
        problems.length = checks = 0;
        await test().catch(error => problems.push(`${error.stack}`));
        good = report(`${page}: ${name}`) && good;
    }
    return good;
}

/* -- Chromium ------------------------------------------------------------------------------------------------------- */

export const readAxe = () => readFileSync(join(modules, 'axe-core/axe.min.js'), 'utf8');

export const launch = (...more) => library('playwright-core').chromium.launch({executablePath, headless: true, args: ['--no-sandbox', '--disable-quic',
    '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', ...more]});

/* A tab whose every complaint, such as a break of the policy, is a problem. */
export async function newTab(browser, options) {
    const context = await browser.newContext({viewport: {width: 1280, height: 800}, ...options}), tab = await context.newPage();
    tab.on('console', message => ['error', 'warning'].includes(message.type()) && !message.text().includes('willReadFrequently') && problems.push(`the page said: ${message.text()}`));
    tab.on('pageerror', error => problems.push(`the page threw: ${error.stack}`));
    tab.on('request', request => expect(/^(file|data|blob):/.test(request.url()), `the page asked for ${request.url()}`));
    return tab;
}
