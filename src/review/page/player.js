/* The player that the pages share: a sheet's clips, in all passes, of one side or of two. Everything is in `state`; `act`
 * changes it, and brings the page in line. A page has these functions of its own:
 *
 *     sheetOf(name)                  the sheet to show, or null
 *     firstClipOf(sheet)             where it begins
 *     urlOf(src)                     the address of a picture, or null while it is to come
 *     cellOf(sheet, frame, side, pass)   where the pixels of a frame are: {src, x, y, w, h, cut: [x, y]}, or null
 *     drawStage(context, view, before, after)   draws frames; whether their pictures were there
 *     describe(frame), noticeOf()    what is said of them
 *     onSheet, onPass, onView, onFrame(frame), onTick(now, passed)   what else follows
 *     keepFragment()                 puts the state into the address
 *
 * Names come from other people's lists: they reach the page as text, never as HTML. Pictures may lie beside the page, where
 * a page from file:// may draw but not read them. */
const SIDES = ['before', 'after'];

const MARKS = [['pivot', 'Pivot', 'v'], ['border', 'Border', 'b'], ['sockets', 'Sockets', 's']];
const BACKS = [['checker', 'Checker'], ['black', 'Black'], ['white', 'White'], ['color', 'Colour']];
const ZOOMS = [0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
const HOLD_MS = 600;

/* `frame` is a name, or '' when the time tells the frames. */
const DEFAULTS = {sheet: '', clip: '', pass: '', frame: '', t: 0, play: true, speed: 1, zoom: 0, x: 0, y: 0, side: 'after', back: 'checker',
                  color: '#4a7d4a', show: ''};
const state = {...DEFAULTS};
let sheet = null, clip = null, tracks = null, box = null; /* what state.sheet and state.clip name, and what follows */

const seconds = ms => `${(ms / 1000).toFixed(2)} s`;

/* Characters that change the order of others, or cannot be seen, are spelled out. */
const plain = text => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    c => `\\u${c.codePointAt(0).toString(16).padStart(4, '0')}`);

/* Lines end between the words of a name. */
const foreign = (tag, text) => make(tag, {className: 'foreign', title: plain(text)},
    ...plain(text).split(/(?<=[/_.-])(?=\p{L})/u).flatMap((word, i) => i ? [make('wbr'), word] : [word]));
const namesOf = of => of.name.match(/^(?:(.*)\/)?(.*)$/s).slice(1); /* folder and rest */

function say(text) {
    $('said').textContent = '';
    requestAnimationFrame(() => $('said').textContent = text);
}

/* -- Pictures ----------------------------------------------------------------------------------------------------- */

const pictures = new Map(); /* by `src`, in the order of last use */
let most_pictures = 24;

function pictureOf(src) {
    let picture = pictures.get(src);
    pictures.delete(src);
    if (!picture) {
        const url = urlOf(src);
        if (!url)
            return null;
        picture = {image: new Image(), is_ready: false, has_failed: false};
        picture.image.src = url;
        picture.image.decode().then(() => picture.is_ready = true, () => picture.has_failed = true).then(redraw);
    }
    pictures.set(src, picture);
    if (pictures.size > most_pictures)
        pictures.delete(pictures.keys().next().value);
    return picture;
}

/* -- The clock: one time for both sides --------------------------------------------------------------------------- */

/* The frames of a side one after the other, as they are played. */
function trackOf(frames, side) {
    const own = frames.filter(frame => frame[side]).sort((a, b) => a[side].time - b[side].time);
    let end = 0;
    const starts = own.map(frame => (end += frame[side].duration || 0) - (frame[side].duration || 0));
    return {frames: own, starts, end};
}

function frameAt(track, ms) {
    let at = track.starts.findLastIndex(start => start <= ms + 0.001);
    return track.frames[Math.max(at, 0)] ?? null;
}

const clipEnd = () => Math.max(tracks.before.end, tracks.after.end, 1);
const chosen = () => state.frame && clip.frames.find(frame => frame.name === state.frame);
/* A side that ends before the other holds its last frame, so that both begin again together. */
const current = side => chosen() || frameAt(tracks[side], state.t);
const shownFrame = () => chosen() || current('after') || current('before');

let last = null, held = 0;
function tick(now) {
    requestAnimationFrame(tick);
    const passed = last === null ? 0 : Math.min(now - last, 200);
    last = now;
    onTick(now, passed);
    if (!clip || !state.play || document.hidden)
        return;
    if (!clip.loop && state.t >= clipEnd() - 0.5 && (held += passed) < HOLD_MS)
        return;
    let t = state.t + passed * state.speed;
    if (t >= clipEnd())
        t = clip.loop || held >= HOLD_MS ? t % clipEnd() : clipEnd() - 0.5;
    held = t < state.t ? 0 : held;
    const seen = SIDES.map(current);
    state.t = t;
    $('time').value = t;
    if (SIDES.some((side, i) => current(side) !== seen[i]))
        showFrame();
}

/* -- Drawing ------------------------------------------------------------------------------------------------------ */

/* Cells of one size lie on each other, as they were compared; of several, their pivots do, in whole pixels. */
function placeOf(frame, side) {
    const {size, pivot} = frame[side], k = zoomOf(frame, side);
    if (sheet.has_one_size)
        return side === 'before' && frame.change?.offset || [0, 0];
    return [-Math.round(pivot[0] * size[0] * k), -Math.round(pivot[1] * size[1] * k)];
}

/* Two scales that could not be compared are made one, for the eye. */
const zoomOf = (frame, side) => side === 'before' && frame.state === 'rescaled' && !state.shipped && frame.after?.scale / frame.before?.scale || 1;

function boxOf(frames) {
    let out = [Infinity, Infinity, -Infinity, -Infinity];
    for (const frame of frames)
        for (const side of SIDES)
            if (frame[side]) {
                const [x, y] = placeOf(frame, side), [w, h] = frame[side].size.map(px => px * zoomOf(frame, side));
                out = [Math.min(out[0], x), Math.min(out[1], y), Math.max(out[2], x + w), Math.max(out[3], y + h)];
            }
    return out[0] < out[2] ? out : [0, 0, 1, 1];
}

/* Device pixels of a canvas: `scale` for each of the cell's. */
function viewOf(canvas) {
    const ratio = devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height)
        Object.assign(canvas, {width, height});
    const fits = fitOf(width, height), scale = state.zoom ? state.zoom * ratio : fits;
    const x = Math.round(width / 2 - ((box[0] + box[2]) / 2 + state.x) * scale);
    const y = Math.round(height / 2 - ((box[1] + box[3]) / 2 + state.y) * scale);
    return {canvas, width, height, scale, x, y};
}

function fitOf(width, height) {
    const scale = Math.min((width - 8) / (box[2] - box[0]), (height - 8) / (box[3] - box[1]));
    return scale >= 1 ? Math.floor(scale) : Math.max(scale, 0.02);
}

/* Draws the cell of a side; true unless its picture is still to come. */
function drawCell(context, view, frame, side) {
    const cell = cellOf(sheet, frame, side, state.pass), picture = cell && pictureOf(cell.src);
    if (!cell)
        return true;
    if (!picture?.is_ready)
        return false;
    const at = placeOf(frame, side), scale = view.scale * zoomOf(frame, side), [x, y] = cell.cut ? [at[0] + cell.cut[0], at[1] + cell.cut[1]] : at;
    context.imageSmoothingEnabled = scale < 1 || scale !== view.scale;
    context.drawImage(picture.image, cell.x, cell.y, cell.w, cell.h, view.x + x * view.scale, view.y + y * view.scale,
                      cell.w * scale, cell.h * scale);
    return true;
}

function drawMarks(context, view, frame, side) {
    const of = frame?.[side], on = state.show.split(',');
    if (!of)
        return;
    const [x, y] = placeOf(frame, side), k = zoomOf(frame, side), at = (px, py) => [view.x + (x + px * k) * view.scale, view.y + (y + py * k) * view.scale];
    if (on.includes('border'))
        drawBorder(context, ...at(0, 0), of.size[0] * k * view.scale, of.size[1] * k * view.scale);
    if (on.includes('pivot'))
        drawPivot(context, ...at(of.pivot[0] * of.size[0], of.pivot[1] * of.size[1]));
    if (on.includes('sockets'))
        for (const [name, place] of Object.entries(of.sockets ?? {}))
            if (place)
                drawSocket(context, ...at(...place), plain(name));
}

let is_asked = false;
function redraw() {
    if (!is_asked)
        requestAnimationFrame(() => { is_asked = false; draw(); });
    is_asked = true;
}

function draw() {
    if (!sheet || !clip || !$('notice').hidden)
        return;
    const base = $('one').querySelector('.base'), before = current('before'), after = current('after'), view = viewOf(base), context = base.getContext('2d');
    context.clearRect(0, 0, view.width, view.height);
    const whole = drawStage(context, view, before, after);
    $('stage').dataset.drawn = whole ? `${before?.before ? before.name : ''}|${after?.after ? after.name : ''}` : '';
    const lost = [before, after].some((frame, i) => pictures.get(cellOf(sheet, frame, SIDES[i], state.pass)?.src)?.has_failed);
    if (lost)
        showNotice('The pictures of this sheet cannot be loaded. A page whose pictures lie beside it needs them there.');
    $('fit').textContent = state.zoom ? 'Fit' : `Fit (${Math.round(view.scale / (devicePixelRatio || 1) * 100)} %)`;
    press($('fit'), !state.zoom);
}

/* -- The sheet ---------------------------------------------------------------------------------------------------- */

const hasPictures = of => of.frames.some(frame => SIDES.some(side => cellOf(sheet, frame, side, sheet.passes[0])));

/* Takes over what the state names, and puts right what is not there. */
function choose() {
    const was = [sheet, clip];
    sheet = sheetOf(state.sheet);
    if (!sheet)
        return false;
    state.sheet = sheet.name;
    const sizes = sheet.clips.flatMap(c => c.frames).flatMap(f => SIDES.map(side => f[side]?.size)).filter(Boolean);
    sheet.has_one_size ??= sizes.every(size => size[0] === sizes[0][0] && size[1] === sizes[0][1]) &&
        !sheet.clips.some(c => c.frames.some(frame => zoomOf(frame, 'before') !== 1));
    const there = sheet.clips.filter(c => c.frames.some(frame => SIDES.some(side => frame[side])));
    clip = there.find(c => c.name === state.clip) ?? firstClipOf(sheet) ?? there[0] ?? null;
    state.clip = clip?.name ?? '';
    if (!sheet.passes.includes(state.pass))
        state.pass = sheet.passes[0] ?? '';
    if (clip && !clip.frames.some(frame => frame.name === state.frame))
        state.frame = '';
    if (sheet !== was[0] || clip !== was[1]) {
        tracks = clip && {before: trackOf(clip.frames, 'before'), after: trackOf(clip.frames, 'after')};
        box = boxOf(clip?.frames ?? []);
        return true;
    }
    return false;
}

function showSheet() {
    showPasses();
    $('time').max = clip ? clipEnd() : 1;
    $('tools').hidden = $('look').hidden = !clip;
    $('clock').hidden = !(clip?.frames.length > 1 && hasPictures(clip));
    onSheet();
}

function showPasses() {
    const tabs = sheet.passes.length > 1 ? sheet.passes : [];
    $('passes').replaceChildren(...tabs.map((pass, i) => make('button', {
        type: 'button', role: 'tab', id: `tab-${i}`, 'aria-controls': 'stage', textContent: plain(pass),
        onclick: () => act({pass}),
        onkeydown: event => {
            const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (!by)
                return;
            event.stopPropagation();
            stepPass(by);
            $('passes').querySelector('[aria-selected=true]').focus();
        },
    })));
    $('passes').hidden = !tabs.length;
}

function showNotice(text) {
    $('notice').hidden = !text;
    $('notice').textContent = text ?? '';
}

/* -- Controls: what the state says -------------------------------------------------------------------------------- */

function showViews() {
    const stage = $('stage'), tabs = [...$('passes').children];
    for (const button of document.querySelectorAll('[data-key]'))
        press(button, button.dataset.key === 'show' ? state.show.split(',').includes(button.dataset.value) : `${state[button.dataset.key]}` === button.dataset.value);
    stage.className = state.zoom ? `zoomed ${state.back}` : state.back;
    stage.style.setProperty('--back', state.color);
    $('color').value = state.color;
    tabs.forEach((tab, i) => {
        const is_chosen = sheet.passes[i] === state.pass;
        tab.setAttribute('aria-selected', is_chosen);
        tab.tabIndex = is_chosen ? 0 : -1;
    });
    tabs.length ? stage.setAttribute('aria-labelledby', `tab-${sheet.passes.indexOf(state.pass)}`) : stage.removeAttribute('aria-labelledby');
    $('speed').value = state.speed;
    $('play').textContent = state.play ? 'Pause' : 'Play';
    onView();
}

function choice(key, value, text, keys) {
    const button = make('button', {type: 'button', textContent: text, onclick: () => act({[key]: value})});
    Object.assign(button.dataset, {key, value});
    press(button, `${state[key]}` === `${value}`);
    if (keys)
        button.setAttribute('aria-keyshortcuts', keys);
    return button;
}

/* What changes with every frame that is played. */
function showFrame() {
    const frame = shownFrame();
    $('time').value = state.t;
    const lengths = SIDES.filter(side => tracks[side].frames.length).map(side => seconds(tracks[side].end));
    $('now').textContent = `${seconds(state.t)} of ${lengths[0] === lengths[1] || !lengths[1] ? lengths[0] : `${lengths[0]} before, ${lengths[1]} after`}`;
    onFrame(frame);
    redraw();
}

/* What rules found, each with a button that shows the cell that it is about. */
const findingNodes = findings => findings.map(({level, told, cell, place}) => {
    const of = cell && sheetOf()?.clips.find(each => each.frames.some(frame => frame.name === cell));
    const node = make('p', {className: `note ${level === 'failure' ? 'bad' : ''}`}, make('b', {}, level), ' ', make('bdi', {}, told), place ? ` ${place} ` : ' ');
    if (of)
        node.append(make('button', {type: 'button', textContent: 'Show', 'aria-label': `Show ${cell}`, title: cell, onclick: () => act({clip: of.name, frame: cell, play: false})}));
    return node;
});

/* -- State -------------------------------------------------------------------------------------------------------- */

function act(change) {
    const before = {...state};
    Object.assign(state, change);
    if (!choose() && sheet === null)
        return;
    if (state.play && state.frame)
        Object.assign(state, {t: startOf(chosen()), frame: ''});
    if ('frame' in change && state.frame)
        state.t = startOf(chosen());
    if (before.sheet !== state.sheet || before.clip !== state.clip || !before.sheet) {
        showSheet();
    } else if (before.pass !== state.pass) {
        onPass();
    }
    showViews();
    showNotice(noticeOf());
    if (clip)
        showFrame();
    else
        for (const node of [$('figures'), $('now'), ...document.querySelectorAll('figcaption')])
            node.textContent = '';
    keepFragment();
}

function startOf(frame) {
    const side = frame.after ? 'after' : 'before', at = tracks[side].frames.indexOf(frame);
    return tracks[side].starts[at] ?? 0;
}

/* -- Keys and pointers -------------------------------------------------------------------------------------------- */

function stepFrame(by) {
    if (!clip)
        return;
    const frames = clip.frames, at = frames.indexOf(shownFrame());
    act({frame: frames[(at + by + frames.length) % frames.length].name, play: false});
    say(`Frame ${frames.indexOf(shownFrame())}: ${describe(shownFrame())}`);
}

const stepPass = by => act({pass: beside(sheet.passes, state.pass, by)});
const toggle = name => act({show: state.show.split(',').filter(Boolean).includes(name) ? state.show.split(',').filter(other => other !== name).join(',')
                                                                                 : [...state.show.split(',').filter(Boolean), name].join(',')});
function stepClip(by) {
    const names = sheet.clips.filter(c => hasPictures(c)).map(c => c.name);
    if (names.length)
        act({clip: beside(names, state.clip, by), frame: '', t: 0});
}

function zoom(by) {
    if (!clip)
        return;
    const now = state.zoom || viewOf($('one').querySelector('.base')).scale / (devicePixelRatio || 1);
    const next = by > 0 ? ZOOMS.find(z => z > now * 1.001) : ZOOMS.findLast(z => z < now * 0.999);
    if (next)
        act({zoom: next});
}

const PAN = {'Shift+ArrowLeft': [-8, 0], 'Shift+ArrowUp': [0, -8], 'Shift+ArrowRight': [8, 0], 'Shift+ArrowDown': [0, 8]};

/* [keys, what they do, how] */
const PLAYER_KEYS = [
    [['Space'], 'play or pause', () => act({play: !state.play})],
    [['ArrowLeft'], 'previous frame', () => stepFrame(-1)],
    [['ArrowRight'], 'next frame', () => stepFrame(1)],
    [['<', '>'], 'slower, faster', key => act({speed: [...$('speed').options].map(o => +o.value)[Math.min(Math.max($('speed').selectedIndex + (key === '>' ? 1 : -1), 0), 4)]})],
    [['[', ']'], 'previous, next pass', key => stepPass(key === ']' ? 1 : -1)],
    [[',', '.'], 'previous, next clip', key => stepClip(key === '.' ? 1 : -1)],
    [['+', '='], 'zoom in', () => zoom(1)],
    [['-'], 'zoom out', () => zoom(-1)],
    [Object.keys(PAN), 'move the picture, when it is zoomed', key => state.zoom && act({x: state.x + PAN[key][0], y: state.y + PAN[key][1]})],
    [['0'], 'fit', () => act({zoom: 0, x: 0, y: 0})],
    [['g'], 'ground: checker, black, white, colour', () => act({back: beside(BACKS.map(([name]) => name), state.back)})],
    ...MARKS.map(([name, word, key]) => [[key], word.toLowerCase(), () => toggle(name)]),
];

/* Moves the picture, unless a page's own `drag` did something else. */
function onPointer(event, drag) {
    const stage = $('stage'), start = {x: event.clientX, y: event.clientY, px: state.x, py: state.y};
    if (event.button !== 0 || event.target.closest('#extras, input'))
        return;
    const canvas = $('one').querySelector('.base'), scale = viewOf(canvas).scale / (devicePixelRatio || 1);
    const move = e => {
        if (drag?.(e, canvas) || !state.zoom)
            return;
        act({x: Math.round(start.px - (e.clientX - start.x) / scale), y: Math.round(start.py - (e.clientY - start.y) / scale)});
    };
    stage.setPointerCapture(event.pointerId);
    stage.addEventListener('pointermove', move);
    stage.addEventListener('lostpointercapture', () => stage.removeEventListener('pointermove', move), {once: true});
    move(event);
}

function startPlayer(drag) {
    const on = (id, run, event = 'click') => $(id).addEventListener(event, run);
    $('backs').append(...BACKS.map(([back, text]) => choice('back', back, text)));
    $('marks').append(...MARKS.map(([mark, text, key]) => Object.assign(choice('show', mark, text, key), {onclick: () => toggle(mark)})));
    on('speed', event => act({speed: +event.target.value}), 'change');
    on('play', () => act({play: !state.play}));
    on('back', () => stepFrame(-1));
    on('forward', () => stepFrame(1));
    on('time', event => act({t: +event.target.value, frame: '', play: false}), 'input');
    on('out', () => zoom(-1));
    on('in', () => zoom(1));
    on('fit', () => act({zoom: 0, x: 0, y: 0}));
    on('color', event => act({color: event.target.value, back: 'color'}), 'input');
    on('stage', event => onPointer(event, drag), 'pointerdown');
    $('stage').addEventListener('wheel', event => { /* pinching comes as this, too */
        if (!event.ctrlKey)
            return;
        event.preventDefault();
        zoom(event.deltaY < 0 ? 1 : -1);
    }, {passive: false});
    new ResizeObserver(() => { if (sheet) { showViews(); redraw(); } }).observe($('stage'));
    requestAnimationFrame(tick);
}
