'use strict';
/* What the pages share. Text of other people's files goes into text nodes and attributes, never into HTML. */

const $ = id => document.getElementById(id);
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const count = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const press = (button, is) => button.setAttribute('aria-pressed', is);
const beside = (values, value, by = 1) => values[(values.indexOf(value) + by + values.length) % values.length];

function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties))
        if (key.includes('-') || key === 'role')
            node.setAttribute(key, value);
        else
            node[key] = value;
    node.append(...children);
    return node;
}

function setTheme() {
    const root = document.documentElement, scheme = getComputedStyle(root).colorScheme;
    const is_dark = scheme === 'dark' || scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = is_dark ? 'light' : 'dark';
}

/* -- Marks over a picture, which are seen on any ground ----------------------------------------------------------- */

const lineWidth = () => Math.max(1, Math.round(devicePixelRatio || 1));

function stroke(context, color, path) {
    for (const [width, style] of [[3, 'rgb(0 0 0 / .75)'], [1, color]]) {
        context.lineWidth = width * lineWidth();
        context.strokeStyle = style;
        context.beginPath();
        path();
        context.stroke();
    }
}

function drawPivot(context, x, y, color = '#ffe14a', arm = 9 * lineWidth()) {
    stroke(context, color, () => {
        context.moveTo(x - arm, y); context.lineTo(x + arm, y);
        context.moveTo(x, y - arm); context.lineTo(x, y + arm);
    });
}

function drawSocket(context, x, y, name) {
    const line = lineWidth(), at = [name.slice(0, 40), x + 7 * line, y - 5 * line];
    drawPivot(context, x, y, '#7dff6a', 5 * line);
    context.font = `${12 * line}px system-ui, sans-serif`;
    context.lineWidth = 3 * line;
    context.strokeStyle = '#000';
    context.fillStyle = '#7dff6a';
    context.strokeText(...at);
    context.fillText(...at);
}

const drawBorder = (context, ...place) => stroke(context, '#5ad1ff', () => context.rect(...place));

/* -- Keys: tables of [keys, what they do, how] -------------------------------------------------------------------- */

const SIGNS = {ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', 'Shift+ArrowLeft': 'Shift ←', 'Shift+ArrowDown': '↓', Escape: 'Esc'};
const GENERAL_KEYS = [
    [['t'], 'dark or light', setTheme],
    [['?'], 'these keys', () => $('help').showModal()],
];

/* Runs the key of an event, unless it belongs to the element that has the focus. */
function runKey(event, keys) {
    const {target} = event, is_arrow = event.key.startsWith('Arrow'), is_move = is_arrow || /^(Page|Home$|End$)/.test(event.key);
    const key = event.key === ' ' ? 'Space' : event.shiftKey && is_arrow ? `Shift+${event.key}` : event.key;
    const is_typing = target.matches('textarea, select, input:not([type=range], [type=checkbox])');
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]'))
        return;
    if (is_typing && key === 'Escape')
        return target.blur();
    if (is_typing || key === 'Space' && target.matches('button, a, summary, input') || is_move && target.matches('input'))
        return;
    const found = keys.find(([names]) => names.includes(key));
    if (!found)
        return;
    event.preventDefault();
    found[2](key);
}

/* The dialog that lists all keys: groups of [title, table]. */
function addHelp(...groups) {
    const dialog = make('dialog', {id: 'help', 'aria-labelledby': 'help-title'},
        make('form', {method: 'dialog'}, make('button', {}, 'Close')), make('h2', {id: 'help-title'}, 'Keys'));
    for (const [title, table] of groups)
        dialog.append(...title ? [make('h3', {}, title)] : [], make('dl', {}, ...table.map(([keys, text]) => make('div', {},
            make('dt', {}, ...(keys.length > 3 ? [keys[0], keys.at(-1)] : keys).flatMap((key, i) =>
                [i ? keys.length > 3 ? ' to ' : ' ' : '', make('kbd', {}, SIGNS[key] ?? key)])),
            make('dd', {}, text)))));
    document.body.append(dialog);
    $('keys').onclick = () => dialog.showModal();
}
