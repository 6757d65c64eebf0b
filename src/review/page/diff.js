/* The page of `sheetbake diff`. Everything is in `state`, which is also the URL's fragment; `act` changes it, and `render`
 * brings the page in line. Names come from other people's lists: they reach the page as text, never as HTML. Pictures
 * may lie beside the page, where a page from file:// may draw but not read them: so differences are made by the
 * canvas's own blend modes. */
const data = JSON.parse($('data').textContent);
const SIDES = ['before', 'after'];
const narrow = matchMedia('(max-width: 760px)');

/* -- What is shown ------------------------------------------------------------------------------------------------ */

const VIEWS = [['side', 'Side by side'], ['swipe', 'Swipe'], ['onion', 'Onion skin'], ['blink', 'Blink'],
               ['difference', 'Difference'], ['heat', 'Heat map']];
const MARKS = [['pivot', 'Pivot', 'v'], ['border', 'Border', 'b'], ['sockets', 'Sockets', 's'], ['box', 'Changed box', 'd']];
const BACKS = [['checker', 'Checker'], ['black', 'Black'], ['white', 'White'], ['color', 'Colour']];
const AMPLIFY = [1, 4, 16];
const ZOOMS = [0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
const BLINK_MS = 800, HOLD_MS = 600;

/* The defaults; what differs from them stands in the fragment. `frame` is a name, or '' when the time tells the frames. */
const DEFAULTS = {sheet: '', clip: '', pass: '', view: 'side', frame: '', t: 0, play: true, speed: 1, zoom: 0, x: 0, y: 0, amp: 4, hot: 1,
                  split: 0.5, mix: 0.5, side: 'after', back: 'checker', color: '#4a7d4a', show: ''};
const state = {...DEFAULTS};
let sheet = null, clip = null, tracks = null, box = null; /* what state.sheet and state.clip name, and what follows */

const percent = value => `${(value * 100).toFixed(value < 0.0995 ? 1 : 0)}\u00a0%`;
const seconds = ms => `${(ms / 1000).toFixed(2)} s`;

/* Characters that change the order of others, or cannot be seen, are spelled out. */
const plain = text => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    c => `\\u${c.codePointAt(0).toString(16).padStart(4, '0')}`);

const foreign = (tag, text) => make(tag, {className: 'foreign', textContent: plain(text), title: plain(text)});

function say(text) {
    $('said').textContent = '';
    requestAnimationFrame(() => $('said').textContent = text);
}

/* -- Pictures ----------------------------------------------------------------------------------------------------- */

const pictures = new Map(), urls = new Map(); /* by `src`; the first is in the order of last use */
const MOST_PICTURES = 24;

/* "#id" is base64 in an element further down the page, which may still be on its way. */
function urlOf(src) {
    if (!src.startsWith('#'))
        return src;
    if (!urls.has(src)) {
        const node = $(src.slice(1));
        if (!node || document.readyState === 'loading' && !node.nextElementSibling)
            return null;
        const text = node.textContent;
        const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
        urls.set(src, URL.createObjectURL(new Blob([bytes], {type: 'image/png'})));
    }
    return urls.get(src);
}

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
    if (pictures.size > MOST_PICTURES)
        pictures.delete(pictures.keys().next().value);
    return picture;
}

/* Where the pixels of a frame are: {src, x, y, w, h}, or null. A side without a strip of its own looks like the other. */
function cellOf(of, frame, side, pass) {
    if (!of.strips || !frame?.[side])
        return null;
    for (const from of side === 'before' ? SIDES : ['after', 'before']) {
        const strip = of.strips[from]?.[pass], cell = frame[from]?.cell;
        if (strip === null && from === side)
            return null;
        if (strip && cell != null)
            return {src: strip.src, strip, x: cell % strip.columns * strip.cell[0], y: Math.floor(cell / strip.columns) * strip.cell[1],
                    w: frame[from].size[0], h: frame[from].size[1]};
    }
    return null;
}

/* Shows a cell in a small element, as a part of the strip's picture behind it. */
function showThumb(node, cell, size) {
    const url = cell && urlOf(cell.src);
    if (!url)
        return;
    const scale = size / Math.max(cell.w, cell.h), {columns, cell: pitch} = cell.strip;
    Object.assign(node.style, {
        width: `${cell.w * scale}px`, height: `${cell.h * scale}px`, backgroundImage: `url("${url}")`,
        backgroundSize: `${columns * pitch[0] * scale}px auto`, backgroundPosition: `${-cell.x * scale}px ${-cell.y * scale}px`,
    });
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
    if (document.readyState === 'loading' && !$('stage').dataset.drawn)
        redraw();
    if (state.view === 'blink' && !calm.matches && Math.floor(now / BLINK_MS) !== Math.floor((now - passed) / BLINK_MS))
        act({side: state.side === 'after' ? 'before' : 'after'});
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

/* Cells of one size lie on each other; of several, their pivots do, in whole pixels. */
function placeOf(frame, side) {
    const {size, pivot} = frame[side];
    return sheet.has_one_size ? [0, 0] : [-Math.round(pivot[0] * size[0]), -Math.round(pivot[1] * size[1])];
}

function boxOf(frames) {
    let out = [Infinity, Infinity, -Infinity, -Infinity];
    for (const frame of frames)
        for (const side of SIDES)
            if (frame[side]) {
                const [x, y] = placeOf(frame, side), [w, h] = frame[side].size;
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
    const [x, y] = placeOf(frame, side);
    context.imageSmoothingEnabled = view.scale < 1;
    context.drawImage(picture.image, cell.x, cell.y, cell.w, cell.h, view.x + x * view.scale, view.y + y * view.scale,
                      cell.w * view.scale, cell.h * view.scale);
    return true;
}

const spare = {};
function scratch(name, view) {
    const canvas = spare[name] ??= make('canvas'), context = canvas.getContext('2d');
    if (canvas.width !== view.width || canvas.height !== view.height)
        Object.assign(canvas, {width: view.width, height: view.height});
    context.globalCompositeOperation = 'source-over';
    context.globalAlpha = 1;
    return context;
}

/* The two cells' difference on an opaque ground: on black it is that of premultiplied colour, on white that of colour
 * and alpha together. The greater of both sees black against nothing, too. */
function drawDifference(view, before, after) {
    const total = scratch('total', view), part = scratch('part', view), layer = scratch('layer', view);
    total.fillStyle = '#000';
    total.fillRect(0, 0, view.width, view.height);
    let whole = true;
    for (const ground of ['#000', '#fff']) {
        for (const [context, frame, side] of [[part, before, 'before'], [layer, after, 'after']]) {
            context.globalCompositeOperation = 'source-over';
            context.fillStyle = ground;
            context.fillRect(0, 0, view.width, view.height);
            whole = drawCell(context, view, frame, side) && whole;
        }
        part.globalCompositeOperation = 'difference';
        part.drawImage(layer.canvas, 0, 0);
        total.globalCompositeOperation = 'lighten';
        total.drawImage(part.canvas, 0, 0);
    }
    return whole && total;
}

/* Doubles a canvas's colours until they are `times` as bright. */
function amplify(context, times) {
    context.globalCompositeOperation = 'lighter';
    for (; times > 1; times /= 2)
        context.drawImage(context.canvas, 0, 0);
    context.globalCompositeOperation = 'source-over';
}

/* At each pixel the greatest difference of all pairs of frames. */
function drawHeat(context, view) {
    context.globalCompositeOperation = 'source-over';
    context.fillStyle = '#000';
    context.fillRect(0, 0, view.width, view.height);
    for (const frame of clip.frames) {
        if (frame.state !== 'changed')
            continue;
        const difference = drawDifference(view, frame, frame);
        if (!difference)
            return false;
        context.globalCompositeOperation = 'lighten';
        context.drawImage(difference.canvas, 0, 0);
    }
    amplify(context, state.hot);
    return true;
}

function drawMarks(context, view, frame, side) {
    const of = frame?.[side], on = state.show.split(',');
    if (!of)
        return;
    const [x, y] = placeOf(frame, side), at = (px, py) => [view.x + (x + px) * view.scale, view.y + (y + py) * view.scale];
    if (on.includes('border'))
        drawBorder(context, ...at(0, 0), of.size[0] * view.scale, of.size[1] * view.scale);
    if (on.includes('box') && frame.change?.passes.includes(state.pass))
        stroke(context, '#ff5ad1', () => {
            const [left, top] = placeOf(frame, frame.after ? 'after' : 'before'), [bx, by, w, h] = frame.change.box;
            context.rect(...at(left - x + bx, top - y + by), w * view.scale, h * view.scale);
        });
    if (on.includes('pivot'))
        drawPivot(context, ...at(of.pivot[0] * of.size[0], of.pivot[1] * of.size[1]));
    if (on.includes('sockets'))
        for (const [name, place] of Object.entries(of.sockets ?? {}))
            if (place)
                drawSocket(context, ...at(...place), plain(name));
}

function drawBoth(context, view, before, after) {
    let whole = true;
    const draw = (frame, side, alpha) => {
        context.globalAlpha = alpha;
        whole = drawCell(context, view, frame, side) && whole;
        context.globalAlpha = 1;
    };
    if (state.view === 'onion') {
        context.globalCompositeOperation = 'lighter';
        draw(before, 'before', 1 - state.mix);
        draw(after, 'after', state.mix);
        context.globalCompositeOperation = 'source-over';
    } else if (state.view === 'swipe') {
        const at = Math.round(view.width * state.split), line = Math.max(2, Math.round(2 * (devicePixelRatio || 1)));
        for (const [frame, side, x, width] of [[before, 'before', 0, at], [after, 'after', at, view.width - at]]) {
            context.save();
            context.beginPath();
            context.rect(x, 0, width, view.height);
            context.clip();
            draw(frame, side, 1);
            context.restore();
        }
        context.fillStyle = '#ff5ad1';
        context.fillRect(at - line / 2, 0, line, view.height);
    } else {
        draw(state.side === 'before' ? before : after, state.side, 1);
    }
    return whole;
}

let is_asked = false;
function redraw() {
    if (!is_asked)
        requestAnimationFrame(() => { is_asked = false; draw(); });
    is_asked = true;
}

function draw() {
    const base = $('one').querySelector('.base'), heat = $('one').querySelector('.heat'), two = $('two').querySelector('.base');
    if (!sheet || !clip || !$('notice').hidden)
        return;
    const before = current('before'), after = current('after'), view = viewOf(base), context = base.getContext('2d');
    context.clearRect(0, 0, view.width, view.height);
    let whole = true;
    if (state.view === 'side') {
        const other = viewOf(two), second = two.getContext('2d');
        second.clearRect(0, 0, other.width, other.height);
        whole = drawCell(context, view, before, 'before') && drawCell(second, other, after, 'after');
        drawMarks(context, view, before, 'before');
        drawMarks(second, other, after, 'after');
    } else if (state.view === 'difference') {
        const difference = drawDifference(view, before, after);
        if (difference) {
            amplify(difference, state.amp);
            context.drawImage(difference.canvas, 0, 0);
        }
        whole = !!difference;
    } else if (state.view === 'heat') {
        whole = drawCell(context, view, shownFrame(), shownFrame().after ? 'after' : 'before');
        /* It depends on everything but the time. */
        const key = [state.sheet, state.clip, state.pass, state.hot, view.width, view.height, view.scale, view.x, view.y].join('\n');
        if (heat.key !== key) {
            viewOf(heat);
            heat.key = drawHeat(heat.getContext('2d'), view) ? key : null;
            whole = whole && heat.key === key;
        }
    } else {
        whole = drawBoth(context, view, before, after);
    }
    if (!['side', 'heat'].includes(state.view)) {
        drawMarks(context, view, before, 'before');
        drawMarks(context, view, after, 'after');
    }
    $('stage').dataset.drawn = whole ? `${before?.before ? before.name : ''}|${after?.after ? after.name : ''}` : '';
    const lost = [before, after].some((frame, i) => pictures.get(cellOf(sheet, frame, SIDES[i], state.pass)?.src)?.has_failed);
    if (lost)
        showNotice('The pictures of this sheet cannot be loaded. A page that was written to a folder needs its pictures beside it.');
    $('fit').textContent = state.zoom ? 'Fit' : `Fit (${Math.round(view.scale / (devicePixelRatio || 1) * 100)} %)`;
    press($('fit'), !state.zoom);
}

/* -- The list, of which only what is seen is there ---------------------------------------------------------------- */

const ROW = 52, HEAD = 54;
let rows = [], filter = '', words = '';

const causesOf = of => (of.causes?.length ? of.causes : [of.cause]).map(i => data.causes[i]?.text).filter(Boolean);

function layRows() {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean), groups = new Map();
    data.sheets.forEach((of, number) => {
        const is_wanted = filter === '' || filter === of.state || filter === 'open' && !verdicts[of.name]?.verdict;
        of.text ??= [of.name, of.old_name, ...causesOf(of)].join(' ').toLowerCase();
        if (!is_wanted || !wanted.every(word => of.text.includes(word)))
            return;
        const key = of.cause ?? -1;
        groups.has(key) || groups.set(key, []);
        groups.get(key).push(number);
    });
    rows = [];
    let y = 0;
    const add = (row, height) => { rows.push({...row, y, height}); y += height; };
    for (const [cause, numbers] of groups) {
        add({cause, size: numbers.length}, HEAD);
        numbers.forEach(number => add({number}, ROW));
    }
    $('list').style.height = `${y}px`;
    $('list').replaceChildren();
    showRows();
}

function makeRow(row) {
    const node = make('div', {role: 'listitem', 'aria-setsize': rows.length, 'aria-posinset': rows.indexOf(row) + 1});
    node.style.top = `${row.y}px`;
    node.style.height = `${row.height}px`;
    if (row.number === undefined) {
        node.append(make('h2', {}, foreign('span', data.causes[row.cause]?.text ?? 'no cause in the records'), make('span', {textContent: row.size})));
        return node;
    }
    const of = data.sheets[row.number], changed = Object.entries(of.frames ?? {}).reduce((sum, [name, n]) => sum + (name === 'same' ? 0 : n), 0);
    const thumb = make('span', {className: 'thumb'}), verdict = verdicts[of.name]?.verdict;
    const size = of.change?.max ? ` · ${percent(of.change.max)}` : '';
    const about = make('small', {}, make('span', {className: `state ${of.state}`, textContent: of.state}),
                       changed && ['changed', 'texture-lost'].includes(of.state) ? ` · ${count(changed, 'frame')}${size}` : '', of.strips ? '' : ' · no pictures');
    /* Where there is no room for all of a name, its end is what tells it from others. */
    const cut = of.name.lastIndexOf('/') + 1, name = make('b', {className: 'foreign', title: plain(of.name)},
        ...[of.name.slice(0, cut), of.name.slice(cut)].map(part => make('span', {textContent: plain(part)})));
    node.append(make('button', {type: 'button', onclick: () => { openDrawer(false); act({sheet: of.name, clip: '', frame: '', t: 0}); }}, thumb,
                     make('span', {}, name, about), make('span', {className: 'verdict', textContent: {accept: '✓ accepted', reject: '✕ rejected'}[verdict] ?? ''})));
    row.thumb = () => {
        const frame = worstOf(of), side = frame?.after ? 'after' : 'before';
        showThumb(thumb, cellOf(of, frame, side, of.passes[0]), 44);
    };
    return node;
}

let thumb_timer = 0;
function showRows() {
    const top = $('rows').scrollTop - 200, bottom = $('rows').scrollTop + $('rows').clientHeight + 200;
    let low = 0, high = rows.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        rows[middle].y + rows[middle].height < top ? low = middle + 1 : high = middle;
    }
    const there = new Map([...$('list').children].map(node => [node.row, node])), wanted = new Set();
    for (; low < rows.length && rows[low].y < bottom; low++) {
        const row = rows[low];
        wanted.add(row);
        let node = there.get(row);
        if (!node) {
            node = makeRow(row);
            node.row = row;
            const after = [...$('list').children].find(other => other.row.y > row.y);
            $('list').insertBefore(node, after ?? null);
        }
        const button = node.querySelector('button'), is_current = row.number !== undefined && data.sheets[row.number] === sheet;
        is_current ? button.setAttribute('aria-current', 'true') : button?.removeAttribute('aria-current');
    }
    for (const [row, node] of there)
        if (!wanted.has(row) && !node.contains(document.activeElement))
            node.remove();
    /* Pictures are opened where scrolling stops. */
    clearTimeout(thumb_timer);
    thumb_timer = setTimeout(() => {
        for (const row of wanted) {
            row.thumb?.();
            row.thumb = null;
        }
    }, 60);
}

function revealRow() {
    const row = rows.find(({number}) => number !== undefined && data.sheets[number] === sheet), area = $('rows');
    if (row && (row.y < area.scrollTop || row.y + ROW > area.scrollTop + area.clientHeight))
        area.scrollTop = row.y - area.clientHeight / 2;
    showRows();
}

function stepSheet(by) {
    const numbers = rows.filter(row => row.number !== undefined).map(row => row.number);
    const next = numbers[numbers.indexOf(data.sheets.indexOf(sheet)) + by];
    if (next === undefined)
        return say('There is no further sheet.');
    act({sheet: data.sheets[next].name, clip: '', frame: '', t: 0});
    say(`${plain(sheet.name)}: ${sheet.state}`);
}

function showFilters() {
    const states = Object.entries(data.totals.sheets).filter(([name, n]) => name !== 'same' && n);
    const all = [['', 'all', data.sheets.length], ...states.map(([name, n]) => [name, name, n]), ['open', 'without verdict', null]];
    $('filters').replaceChildren(...all.map(([name, word, n]) => make('button', {
        type: 'button', textContent: n === null ? word : `${word} ${n}`, 'aria-pressed': filter === name,
        onclick: () => { filter = name; showFilters(); layRows(); $('filters').querySelector('[aria-pressed=true]').focus(); },
    })));
}

/* -- The sheet ---------------------------------------------------------------------------------------------------- */

const weight = frame => frame.state === 'same' ? -1 : frame.change ? frame.change.mean + 1e-6 : ['added', 'removed'].includes(frame.state) ? 1e-7 : 0;
const worst = frames => frames.reduce((most, frame) => !most || weight(frame) > weight(most) ? frame : most, null);
const worstOf = of => worst(of.clips.flatMap(c => c.frames));
const hasPictures = of => of.frames.some(frame => SIDES.some(side => cellOf(sheet, frame, side, sheet.passes[0])));

/* Takes over what the state names, and puts right what is not there. */
function choose() {
    const was = [sheet, clip];
    sheet = data.sheets.find(of => of.name === state.sheet) ?? data.sheets[0] ?? null;
    if (!sheet)
        return false;
    state.sheet = sheet.name;
    const sizes = sheet.clips.flatMap(c => c.frames).flatMap(f => SIDES.map(side => f[side]?.size)).filter(Boolean);
    sheet.has_one_size ??= sizes.every(size => size[0] === sizes[0][0] && size[1] === sizes[0][1]);
    const worst_clip = sheet.clips.find(c => c.frames.includes(worstOf(sheet)));
    clip = sheet.clips.find(c => c.name === state.clip) ?? worst_clip ?? sheet.clips[0] ?? null;
    state.clip = clip?.name ?? '';
    if (!sheet.passes.includes(state.pass))
        state.pass = sheet.passes[0] ?? '';
    if (clip && !clip.frames.some(frame => frame.name === state.frame))
        state.frame = '';
    if (sheet !== was[0] || clip !== was[1]) {
        tracks = clip && {before: trackOf(clip.frames, 'before'), after: trackOf(clip.frames, 'after')};
        box = boxOf(clip?.frames ?? []);
        last_size = '';
        return true;
    }
    return false;
}

function showSheet() {
    $('name').replaceChildren(foreign('span', sheet.name));
    $('state').textContent = sheet.state;
    $('state').className = `state ${sheet.state}`;
    $('why').replaceChildren(foreign('span', [...sheet.old_name ? [`was ${sheet.old_name}`] : [], ...sheet.reason ? [sheet.reason] : causesOf(sheet)].join('; ')));
    $('clip').replaceChildren(...sheet.clips.map(c => {
        const changed = c.frames.filter(f => f.state !== 'same').length;
        return make('option', {value: c.name, disabled: !hasPictures(c) && sheet.clips.some(hasPictures),
                               textContent: `${plain(c.name).slice(0, 80)} · ${changed ? `${changed} of ${count(c.frames.length, 'frame')}` : 'same'}`});
    }));
    $('clip').disabled = sheet.clips.length < 2;
    showPasses();
    showFilm();
    showFacts();
    $('remark-box').hidden = !verdicts[sheet.name]?.comment;
    $('remark').value = verdicts[sheet.name]?.comment ?? '';
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

function showFilm() {
    const most = Math.max(...clip?.frames.map(frame => frame.change?.mean ?? 0) ?? [], 1e-9);
    $('film').replaceChildren(...(clip?.frames ?? []).map((frame, i) => {
        const thumb = make('span', {className: 'thumb'}), bar = make('span', {className: `bar ${frame.state}`});
        const mean = frame.change?.mean ?? (frame.state === 'same' ? 0 : frame.state === 'changed' ? 1e-6 : most);
        bar.style.height = frame.state === 'same' ? '0' : `${Math.max(2, Math.round(26 * Math.sqrt(Math.min(mean / most, 1))))}px`;
        showThumb(thumb, cellOf(sheet, frame, frame.after ? 'after' : 'before', state.pass), 44);
        return make('div', {role: 'listitem'}, make('button', {
            type: 'button', 'aria-label': `Frame ${i}: ${describe(frame)}`, title: `${plain(frame.name)}: ${describe(frame)}`,
            onclick: () => act({frame: frame.name, play: false}),
        }, thumb, bar, make('small', {textContent: i, 'aria-hidden': 'true'})));
    }));
    $('time').max = clip ? clipEnd() : 1;
    $('tools').hidden = $('look').hidden = !clip;
    $('clock').hidden = $('film').hidden = !(clip?.frames.length > 1 && hasPictures(clip));
}

function describe(frame) {
    const change = frame.change, [w, h] = (frame.after ?? frame.before).size;
    const more = {moved: 'the pixels are the same, the pivot or trim is not', renamed: `was ${plain(frame.old_name)}`,
                  retimed: `lasted ${Math.round(frame.before?.duration)} ms, lasts ${Math.round(frame.after?.duration)} ms`}[frame.state];
    const words = frame.state + (more ? `: ${more}` : '');
    if (!change?.pixels)
        return words;
    if (!change.passes.includes(state.pass))
        return `the same in this pass, ${words} in ${change.passes.map(plain).join(', ')}`;
    const passes = sheet.passes.length > 1 ? `, in ${change.passes.map(plain).join(', ')}` : '';
    return `${words}: ${count(change.pixels, 'pixel')} (${percent(change.pixels / (w * h))}), largest ${percent(change.max)}, mean ${percent(change.mean)}${passes}`;
}

function showFacts() {
    const {before = {}, after = {}} = sheet.facts ?? {}, keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const parts = [];
    if (keys.length) {
        const row = key => make('tr', {className: before[key] === after[key] ? '' : 'differs'}, make('th', {scope: 'row', textContent: plain(key).replaceAll('_', ' ')}),
                                ...SIDES.map(side => make('td', {textContent: plain(sheet.facts[side]?.[key] ?? '–')})));
        parts.push(make('table', {}, make('caption', {textContent: 'The model'}),
                        make('thead', {}, make('tr', {}, make('td'), ...SIDES.map(side => make('th', {scope: 'col', textContent: side})))),
                        make('tbody', {}, ...keys.map(row))));
    }
    for (const [key, title] of [['added', 'New warnings'], ['removed', 'Warnings that are gone']])
        if (sheet.warnings?.[key]?.length)
            parts.push(make('section', {}, make('h3', {textContent: title}), make('ul', {}, ...sheet.warnings[key].map(text => make('li', {}, foreign('span', text))))));
    $('facts').replaceChildren(...parts);
}

function showNotice(text) {
    $('notice').hidden = !text;
    $('notice').textContent = text ?? '';
}

function noticeOf() {
    if (!clip && sheet.reason)
        return plain(sheet.reason);
    if (!sheet.strips)
        return 'The pictures of this sheet were left out to keep the page small. Give a larger --max-size, or write the page to a folder: --html DIR/';
    if (!clip)
        return 'This sheet has no frames to show.';
    if (!hasPictures(clip))
        return `All pixels are the same: ${sheet.state}.`;
    return '';
}

/* -- Controls: what the state says -------------------------------------------------------------------------------- */

let last_size = '';
function showViews() {
    const stage = $('stage'), is_side = state.view === 'side';
    showExtras();
    for (const button of document.querySelectorAll('[data-key]'))
        press(button, button.dataset.key === 'show' ? state.show.split(',').includes(button.dataset.value) : `${state[button.dataset.key]}` === button.dataset.value);
    stage.className = ['zoomed', 'swipe', 'dark', 'heatmap'].filter((_, i) => [state.zoom, state.view === 'swipe', state.view === 'difference', state.view === 'heat'][i]).concat(state.back).join(' ');
    stage.style.setProperty('--back', state.color);
    $('color').value = state.color;
    $('two').hidden = !is_side;
    $('one').querySelector('.heat').hidden = state.view !== 'heat';
    /* Where the window is narrow, one above the other, as large as its width lets them. */
    stage.style.height = is_side && narrow.matches ? `clamp(280px, ${2 * (fitOf(stage.clientWidth, Infinity) * (box[3] - box[1]) + 8) + 4}px, 88vh)` : '';
    const {clientWidth: w, clientHeight: h} = stage;
    stage.classList.toggle('tall', is_side && fitOf(w, h / 2) > fitOf(w / 2, h));
    const tabs = [...$('passes').children];
    tabs.forEach((tab, i) => {
        const is_chosen = sheet.passes[i] === state.pass;
        tab.setAttribute('aria-selected', is_chosen);
        tab.tabIndex = is_chosen ? 0 : -1;
    });
    tabs.length ? stage.setAttribute('aria-labelledby', `tab-${sheet.passes.indexOf(state.pass)}`) : stage.removeAttribute('aria-labelledby');
    $('clip').value = state.clip;
    $('speed').value = state.speed;
    $('play').textContent = state.play ? 'Pause' : 'Play';
    const verdict = verdicts[sheet.name]?.verdict;
    press($('accept'), verdict === 'accept');
    press($('reject'), verdict === 'reject');
    $('comment').setAttribute('aria-expanded', !$('remark-box').hidden);
}

/* What only some views have. Made anew only for another view, or a slider would be lost while it is dragged. */
function showExtras() {
    const key = {difference: 'amp', heat: 'hot'}[state.view] ?? state.view;
    if ($('extras').dataset.of !== key) {
        $('extras').dataset.of = key;
        const slide = (name, text) => make('label', {className: 'pick'}, text, make('input', {
            type: 'range', min: 0, max: 1, step: 0.01, oninput: event => act({[name]: +event.target.value})}));
        const parts = {swipe: () => slide('split', 'Divider'), onion: () => slide('mix', 'Before to after'),
                       blink: () => choices('side', SIDES.map(side => [side, side === 'before' ? 'Before' : 'After']), 'Side'),
                       amp: () => choices('amp', AMPLIFY.map(n => [n, `×${n}`]), 'Amplify'),
                       hot: () => choices('hot', AMPLIFY.map(n => [n, `×${n}`]), 'Amplify')};
        $('extras').replaceChildren(...(parts[key] ? [parts[key]()] : []));
        if (key === 'blink' && calm.matches)
            $('extras').append(make('span', {textContent: 'Does not blink by itself: your system asks for less motion.'}));
    }
    const input = $('extras').querySelector('input');
    if (input)
        input.value = state[key === 'swipe' ? 'split' : 'mix'];
}

function choices(key, values, name) {
    return make('div', {className: 'row joined', role: 'group', 'aria-label': name}, ...values.map(([value, text]) => choice(key, value, text)));
}

function choice(key, value, text, keys) {
    const button = make('button', {type: 'button', textContent: text, onclick: () => act({[key]: value})});
    Object.assign(button.dataset, {key, value});
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
    const index = clip.frames.indexOf(frame), film = $('film'), node = film.children[index]?.firstChild;
    film.querySelector('[aria-current]')?.removeAttribute('aria-current');
    node?.setAttribute('aria-current', 'true');
    if (node && (node.offsetLeft - film.offsetLeft < film.scrollLeft || node.offsetLeft - film.offsetLeft + 50 > film.scrollLeft + film.clientWidth))
        film.scrollLeft = node.offsetLeft - film.offsetLeft - film.clientWidth / 2;
    const [before, after] = SIDES.map(current), numbers = [before, after].map((of, i) => of?.[SIDES[i]] ? clip.frames.indexOf(of) : null);
    $('figures').replaceChildren(...before === after || !before || !after ? [make('b', {textContent: `Frame ${index}`}), ` ${describe(frame)}`] :
                                 [make('b', {textContent: `Frame ${numbers[0]} before, frame ${numbers[1]} after`}), ' at this time: the frames of the clip differ']);
    const caption = (side, i) => `${side === 'before' ? 'Before' : 'After'}${numbers[i] === null ? ': no such frame' : ` · frame ${numbers[i]}`}`;
    const one = $('one').firstChild, texts = SIDES.map(caption);
    one.textContent = {side: texts[0], swipe: `${texts[0]}  |  ${texts[1]}`, onion: `${texts[0]} and ${texts[1].toLowerCase()}`,
                       blink: texts[SIDES.indexOf(state.side)], difference: `Difference ×${state.amp} · frame ${index}`,
                       heat: `Largest difference ×${state.hot} of all ${clip.frames.length} frames`}[state.view];
    $('two').firstChild.textContent = texts[1];
    redraw();
}

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
        revealRow();
    } else if (before.pass !== state.pass) {
        showFilm();
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

let fragment_timer = 0, fragment = null;
function keepFragment() {
    clearTimeout(fragment_timer);
    fragment_timer = setTimeout(writeFragment, 150);
}

function writeFragment() {
    const out = new URLSearchParams();
    for (const [key, value] of Object.entries(state))
        if (value !== DEFAULTS[key] && !(key === 't' && (state.play || state.frame)) && !(key === 'pass' && value === sheet.passes[0]))
            out.set(key, key === 'play' ? +value : typeof value === 'number' ? +value.toFixed(3) : value);
    fragment = `#${out}`;
    history.replaceState(null, '', fragment);
}

function readFragment() {
    const given = new URLSearchParams(location.hash.slice(1)), read = {...DEFAULTS, play: !calm.matches};
    for (const [key, value] of given)
        if (key in DEFAULTS && !(typeof DEFAULTS[key] === 'number' && !Number.isFinite(+value)))
            read[key] = typeof DEFAULTS[key] === 'number' ? +value : typeof DEFAULTS[key] === 'boolean' ? value !== '0' : value;
    if (given.has('frame') || given.has('t'))
        read.play = false;
    const among = (key, values) => values.includes(read[key]) || (read[key] = DEFAULTS[key]);
    among('view', VIEWS.map(([name]) => name));
    among('back', BACKS.map(([name]) => name));
    among('amp', AMPLIFY);
    among('hot', AMPLIFY);
    among('side', SIDES);
    among('zoom', [0, ...ZOOMS]);
    among('speed', [...$('speed').options].map(option => +option.value));
    read.color = /^#[0-9a-f]{6}$/.test(read.color) ? read.color : DEFAULTS.color;
    read.split = Math.min(Math.max(read.split, 0), 1);
    read.mix = Math.min(Math.max(read.mix, 0), 1);
    if (given.has('sheet') && !data.sheets.some(of => of.name === read.sheet))
        say(`This page has no sheet ${plain(read.sheet)}.`);
    act(read);
}

/* -- Verdicts ----------------------------------------------------------------------------------------------------- */

/* Verdicts are of these very changes: of a page that was written again with others, they are gone. */
const changes = JSON.stringify(data.sheets.map(one => [one.name, one.state, one.change]));
let digest = 0;
for (let i = 0; i < changes.length; i++)
    digest = Math.imul(digest ^ changes.charCodeAt(i), 0x01000193);
const store = `sheetbake diff ${location.pathname} ${JSON.stringify([data.before, data.after, digest])}`;
const verdicts = Object.create(null); /* by the sheet's name: {verdict, comment} */
try {
    Object.assign(verdicts, JSON.parse(localStorage.getItem(store) ?? '{}'));
} catch { /* a browser that keeps nothing */ }

function judge(change) {
    verdicts[sheet.name] = {...verdicts[sheet.name], ...change};
    try {
        localStorage.setItem(store, JSON.stringify(verdicts));
    } catch { /* the verdicts live as long as the page */ }
    if ('verdict' in change) {
        say(change.verdict ? `${plain(sheet.name)}: ${change.verdict}ed` : 'Verdict taken back');
        layRows();
        showViews();
    }
}

const decide = verdict => judge({verdict: verdicts[sheet.name]?.verdict === verdict ? '' : verdict});

function remark() {
    $('remark-box').hidden = !$('remark-box').hidden;
    showViews();
    $('remark-box').hidden || $('remark').focus();
}

/* Of the sheets without a verdict, those with a comment are named, the others counted. */
function verdictText() {
    const parts = [`## Sheets from ${plain(data.before.name)} to ${plain(data.after.name)}`];
    for (const [verdict, title] of [['reject', 'Rejected'], ['accept', 'Accepted'], ['', 'Without a verdict']]) {
        const sheets = data.sheets.filter(({name}) => (verdicts[name]?.verdict ?? '') === verdict), lines = [];
        for (const {name, state} of sheets) {
            const comment = verdicts[name]?.comment?.trim().replace(/\n/g, ' ');
            if (verdict || comment)
                lines.push(`- ${plain(name)}: ${state}${comment ? `\n  > ${plain(comment)}` : ''}`);
        }
        if (sheets.length)
            parts.push(`### ${title}: ${sheets.length}`, ...lines.length ? [lines.join('\n')] : []);
    }
    return `${parts.join('\n\n')}\n`;
}

function showVerdicts() {
    $('text').value = verdictText();
    URL.revokeObjectURL($('save').href);
    $('save').href = URL.createObjectURL(new Blob([$('text').value], {type: 'text/markdown'}));
    $('verdicts').showModal();
}

async function copyVerdicts() {
    try {
        await navigator.clipboard.writeText($('text').value);
    } catch {
        $('text').select();
        document.execCommand('copy');
    }
    $('copy').textContent = 'Copied';
    setTimeout(() => $('copy').textContent = 'Copy', 1500);
}

/* -- Keys and pointers -------------------------------------------------------------------------------------------- */

function stepFrame(by) {
    if (!clip)
        return;
    const frames = clip.frames, at = frames.indexOf(shownFrame());
    act({frame: frames[(at + by + frames.length) % frames.length].name, play: false});
    say(`Frame ${frames.indexOf(shownFrame())}: ${describe(shownFrame())}`);
}

/* The next changed frame of this clip, else of the next clip that has one. */
function stepChanged(by) {
    const all = sheet.clips.flatMap(c => c.frames.map(frame => [c, frame])).filter(([c, frame]) => frame.state !== 'same' && hasPictures(c));
    const order = sheet.clips.flatMap(c => c.frames), at = clip ? order.indexOf(shownFrame()) : -1;
    const next = by > 0 ? all.find(([, frame]) => order.indexOf(frame) > at) ?? all[0] : all.findLast(([, frame]) => order.indexOf(frame) < at) ?? all.at(-1);
    goTo(next);
}

function goTo(found) {
    if (!found)
        return say('No frame of this sheet has changed pixels.');
    act({clip: found[0].name, frame: found[1].name, play: false});
    say(`Frame ${clip.frames.indexOf(found[1])}: ${describe(found[1])}`);
}

const goWorst = () => goTo(sheet.clips.map(c => [c, worstOf(sheet)]).find(([c, frame]) => c.frames.includes(frame)));
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
const KEYS = [
    [['j', 'ArrowDown'], 'next sheet', () => stepSheet(1)],
    [['k', 'ArrowUp'], 'previous sheet', () => stepSheet(-1)],
    [['1', '2', '3', '4', '5', '6'], VIEWS.map(([, word]) => word.toLowerCase()).join(', '), key => act({view: VIEWS[key - 1][0]})],
    [['Space'], 'play or pause', () => act({play: !state.play})],
    [['ArrowLeft'], 'previous frame', () => stepFrame(-1)],
    [['ArrowRight'], 'next frame', () => stepFrame(1)],
    [['w'], 'worst frame', goWorst],
    [['n'], 'next changed frame', () => stepChanged(1)],
    [['p'], 'previous changed frame', () => stepChanged(-1)],
    [['<', '>'], 'slower, faster', key => act({speed: [...$('speed').options].map(o => +o.value)[Math.min(Math.max($('speed').selectedIndex + (key === '>' ? 1 : -1), 0), 4)]})],
    [['[', ']'], 'previous, next pass', key => stepPass(key === ']' ? 1 : -1)],
    [[',', '.'], 'previous, next clip', key => stepClip(key === '.' ? 1 : -1)],
    [['m'], 'amplify by 1, 4 or 16', () => act(state.view === 'heat' ? {hot: beside(AMPLIFY, state.hot)} : {amp: beside(AMPLIFY, state.amp)})],
    [['x'], 'other side, in the blink view', () => act({side: beside(SIDES, state.side)})],
    [['h', 'l'], 'move the divider, or the mix', key => act(shift(key === 'l' ? 0.05 : -0.05))],
    [['+', '='], 'zoom in', () => zoom(1)],
    [['-'], 'zoom out', () => zoom(-1)],
    [Object.keys(PAN), 'move the picture, when it is zoomed', key => state.zoom && act({x: state.x + PAN[key][0], y: state.y + PAN[key][1]})],
    [['0'], 'fit', () => act({zoom: 0, x: 0, y: 0})],
    [['g'], 'ground: checker, black, white, colour', () => act({back: beside(BACKS.map(([name]) => name), state.back)})],
    ...MARKS.map(([name, word, key]) => [[key], word.toLowerCase(), () => toggle(name)]),
    [['a'], 'accept', () => decide('accept')],
    [['r'], 'reject', () => decide('reject')],
    [['c'], 'comment', remark],
    [['y'], 'verdicts as text', showVerdicts],
    [['/'], 'search', () => { openDrawer(true); $('search').focus(); }],
    ...GENERAL_KEYS,
];
const shift = by => state.view === 'onion' ? {mix: Math.min(Math.max(state.mix + by, 0), 1)} : {split: Math.min(Math.max(state.split + by, 0), 1)};
function openDrawer(is_open) {
    $('side').classList.toggle('open', is_open);
    $('drawer').setAttribute('aria-expanded', is_open);
    showRows();
}

function onPointer(event) {
    const stage = $('stage'), start = {x: event.clientX, y: event.clientY, px: state.x, py: state.y};
    if (event.button !== 0 || event.target.closest('#extras'))
        return;
    const canvas = $('one').querySelector('.base'), scale = viewOf(canvas).scale / (devicePixelRatio || 1);
    const move = e => {
        if (state.view === 'swipe') {
            const area = canvas.getBoundingClientRect();
            act({split: Math.min(Math.max((e.clientX - area.left) / area.width, 0), 1)});
        } else if (state.zoom) {
            act({x: Math.round(start.px - (e.clientX - start.x) / scale), y: Math.round(start.py - (e.clientY - start.y) / scale)});
        }
    };
    stage.setPointerCapture(event.pointerId);
    stage.addEventListener('pointermove', move);
    stage.addEventListener('lostpointercapture', () => stage.removeEventListener('pointermove', move), {once: true});
    move(event);
}

/* -- Start -------------------------------------------------------------------------------------------------------- */

function showTotals() {
    const {sheets} = data.totals, parts = Object.entries(sheets).filter(([name, n]) => name !== 'same' && n).map(([name, n]) => `${n.toLocaleString('en')} ${name}`);
    const title = (id, side) => $(id).replaceChildren(foreign('span', side.name), ...side.detail ? [' ', make('small', {}, foreign('span', side.detail))] : []);
    title('old-side', data.before);
    title('new-side', data.after);
    $('totals').textContent = parts.join(', ') || 'nothing changed';
    document.title = `${parts.join(', ') || 'Nothing changed'}: ${plain(data.before.name)} → ${plain(data.after.name)}`.slice(0, 300);
    $('unchanged').textContent = sheets.same ? `${count(sheets.same, 'sheet')} without a change` : 'All sheets are listed.';
}

function start() {
    showTotals();
    $('views').append(...VIEWS.map(([view, text], i) => choice('view', view, text, i + 1)));
    $('backs').append(...BACKS.map(([back, text]) => choice('back', back, text)));
    $('marks').append(...MARKS.map(([mark, text, key]) => Object.assign(choice('show', mark, text, key), {onclick: () => toggle(mark)})));
    addHelp(['', KEYS]);
    const on = (id, run, event = 'click') => $(id).addEventListener(event, run);
    on('drawer', () => openDrawer(!$('side').classList.contains('open')));
    on('report', showVerdicts);
    on('theme', setTheme);
    on('search', event => { words = event.target.value; layRows(); }, 'input');
    on('rows', showRows, 'scroll');
    on('copy', copyVerdicts);
    addEventListener('keydown', event => runKey(event, sheet ? KEYS : GENERAL_KEYS));
    if (!data.sheets.length) {
        const {same} = data.totals.sheets;
        for (const id of ['sheet', 'drawer', 'report', 'find'])
            $(id).hidden = true;
        $('none').hidden = false;
        $('none').textContent = `Nothing changed. ${!same ? 'There are no sheets on either side' : same === 1 ? 'The only sheet is the same on both sides' : `All ${count(same, 'sheet')} are the same on both sides`}.`;
        return;
    }
    showFilters();
    on('accept', () => decide('accept'));
    on('reject', () => decide('reject'));
    on('comment', remark);
    on('remark', event => judge({comment: event.target.value}), 'input');
    on('clip', event => act({clip: event.target.value, frame: '', t: 0}), 'change');
    on('speed', event => act({speed: +event.target.value}), 'change');
    on('play', () => act({play: !state.play}));
    on('back', () => stepFrame(-1));
    on('forward', () => stepFrame(1));
    on('worst', goWorst);
    on('next', () => stepChanged(1));
    on('time', event => act({t: +event.target.value, frame: '', play: false}), 'input');
    on('out', () => zoom(-1));
    on('in', () => zoom(1));
    on('fit', () => act({zoom: 0, x: 0, y: 0}));
    on('color', event => act({color: event.target.value, back: 'color'}), 'input');
    on('stage', onPointer, 'pointerdown');
    $('stage').addEventListener('wheel', event => { /* pinching comes as this, too */
        if (!event.ctrlKey)
            return;
        event.preventDefault();
        zoom(event.deltaY < 0 ? 1 : -1);
    }, {passive: false});
    addEventListener('hashchange', () => location.hash !== fragment && readFragment());
    new ResizeObserver(() => { showViews(); redraw(); }).observe($('stage'));
    new ResizeObserver(showRows).observe($('rows'));
    layRows();
    readFragment();
    /* Pictures that were still on their way. */
    addEventListener('DOMContentLoaded', () => { showFilm(); layRows(); redraw(); });
    requestAnimationFrame(tick);
}

start();
