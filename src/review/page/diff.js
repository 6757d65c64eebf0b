/* The page of `sheetbake diff`. What is shown is in `state` (player.js), which is also the URL's fragment. Differences are made
 * by the canvas's own blend modes: a page from file:// may not read its pictures. */
const data = JSON.parse($('data').textContent);
const narrow = matchMedia('(max-width: 760px)');

/* -- What is shown ------------------------------------------------------------------------------------------------ */

const VIEWS = [['side', 'Side by side'], ['swipe', 'Swipe'], ['onion', 'Onion skin'], ['blink', 'Blink'],
               ['difference', 'Difference'], ['heat', 'Heat map']];
const AMPLIFY = [1, 4, 16];
const BLINK_MS = 800;

/* What differs from the defaults stands in the fragment. */
Object.assign(DEFAULTS, {view: 'side', amp: 4, hot: 1, split: 0.5, mix: 0.5, cause: '', sort: 'change', only: '', find: '', shipped: false});
Object.assign(state, DEFAULTS);
MARKS.push(['box', 'Changed box', 'd']);

/* Of a history, a sheet is a group, under the name that it has last; each commit that changed it is a version. */
const is_history = data.sheets.some(of => of.commit), last_names = new Map();
for (const [index, of] of data.sheets.entries()) { /* newest first */
    of.index = index;
    if (!is_history)
        continue;
    of.line = last_names.get(of.name) ?? of.name;
    of.old_name && last_names.set(of.old_name, of.line);
    of.called = of.name;
    of.day = of.commit.date.slice(0, 10);
    of.name += `@${of.commit.id.slice(0, 7)}`;
}
const versionsOf = of => data.sheets.filter(({line}) => line === of.line).reverse();

/* Failed sheets of a review are a group of their own, whatever their causes. */
const isFailed = of => ['failed', 'unknown'].includes(of.state);
const groupOf = of => is_history ? of.line : isFailed(of) ? 'failed' : `${of.cause ?? -1}`;
const titleOf = group => is_history ? group : group === 'failed' ? 'Failed: nothing to compare' : data.causes[group]?.text ?? 'no cause in the records';

const LOOKS = ['changed', 'added', 'removed']; /* frames of these states look otherwise */
const looksOf = of => LOOKS.reduce((sum, state) => sum + (of.frames?.[state] ?? 0), 0);
const ORDERS = { /* the first is that of the data */
    ...is_history && {newest: ['newest change', of => -of.index]},
    change: ['state and change', of => is_history ? of.change?.mean ?? 0 : 0],
    frames: ['frames that look otherwise', looksOf],
};
DEFAULTS.sort = state.sort = Object.keys(ORDERS)[0];
function inOrder() {
    const order = ORDERS[state.sort][1], most = new Map();
    if (!is_history)
        return data.sheets.toSorted((a, b) => isFailed(b) - isFailed(a) || order(b) - order(a));
    for (const of of data.sheets)
        most.set(of.line, Math.max(most.get(of.line) ?? -Infinity, order(of)));
    return data.sheets.toSorted((a, b) => most.get(b.line) - most.get(a.line) || a.index - b.index);
}

/* The named sheet, or the first one of the list that has a picture that differs. */
function sheetOf(name) {
    takeShipped();
    return data.sheets.find(of => of.name === name) ?? firstSheet();
}
const firstSheet = () => inOrder().find(of => of.strips && of.clips.some(c => c.frames.some(differs))) ?? data.sheets[0] ?? null;
const differs = frame => LOOKS.includes(frame.state);

/* Of clips whose pictures were left out, the page knows how much they differ, and of some others one frame alone is shown. */
const allOf = c => c.all ?? c.frames;
for (const c of data.sheets.flatMap(of => of.clips))
    if (c.still !== undefined)
        [c.all, c.frames] = [c.frames, [c.frames[c.still]]];

/* Puts what each side ships in the place of what was drawn in one frame for both, or the contrary. */
let is_shipped = false;
function takeShipped() {
    if (is_shipped === state.shipped)
        return;
    is_shipped = state.shipped;
    for (const of of data.sheets.filter(of => of.strips?.shipped_after)) {
        const {before, after, shipped_before, shipped_after} = of.strips;
        of.strips = {before: shipped_before, after: shipped_after, shipped_before: before, shipped_after: after};
        for (const frame of of.clips.flatMap(c => c.frames).filter(frame => frame.shipped))
            [frame.before, frame.after, frame.shipped] = [frame.shipped.before, frame.shipped.after, {before: frame.before, after: frame.after}];
    }
    if (clip) {
        box = boxOf(clip.frames);
        onPass();
    }
}
const firstClipOf = of => of.clips.find(c => c.frames.includes(worstOf(of)));

const percent = value => value > 0 && value < 0.00005 ? 'below 0.01\u00a0%' : `${(value * 100).toFixed(value < 0.000995 ? 2 : value < 0.0995 ? 1 : 0)}\u00a0%`;

/* -- Pictures ----------------------------------------------------------------------------------------------------- */

const urls = new Map(); /* by `src` */

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
        urls.set(src, URL.createObjectURL(new Blob([bytes], {type: 'image/webp'})));
    }
    return urls.get(src);
}

/* Where the pixels of a frame are: {src, x, y, w, h}, or null. A strip has a picture for the cells of each clip; a side
 * without one of its own looks like the other. */
function cellOf(of, frame, side, pass) {
    if (!of.strips || !frame?.[side])
        return null;
    for (const from of side === 'before' ? SIDES : ['after', 'before']) {
        const cell = frame[from]?.cell, strip = of.strips[from]?.[pass]?.find(({first, count}) => cell >= first && cell < first + count);
        if (strip && !strip.src && from === side)
            return null;
        if (strip?.src)
            return {src: strip.src, strip, x: (cell - strip.first) % strip.columns * strip.cell[0], y: Math.floor((cell - strip.first) / strip.columns) * strip.cell[1],
                    w: frame[from].size[0], h: frame[from].size[1]};
    }
    return null;
}

/* Shows a cell in a small element, as a part of the strip's picture behind it; `most` pixels of it are as long as `size`. */
function showThumb(node, cell, size, most = Math.max(cell?.w, cell?.h)) {
    const url = cell && urlOf(cell.src);
    if (!url)
        return;
    const scale = size / most, {columns, cell: pitch} = cell.strip;
    Object.assign(node.style, {
        width: `${cell.w * scale}px`, height: `${cell.h * scale}px`, backgroundImage: `url("${url}")`,
        backgroundSize: `${columns * pitch[0] * scale}px auto`, backgroundPosition: `${-cell.x * scale}px ${-cell.y * scale}px`,
    });
}

/* -- Drawing ------------------------------------------------------------------------------------------------------ */

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

/* The border, pivot and sockets of a cell, and the box around what has changed. */
function drawAllMarks(context, view, frame, side) {
    drawMarks(context, view, frame, side);
    if (!frame?.[side] || is_shipped || !state.show.split(',').includes('box') || !frame.change?.passes.includes(state.pass))
        return;
    const [x, y] = placeOf(frame, frame.after ? 'after' : 'before'), [left, top, w, h] = frame.change.box;
    stroke(context, '#ff5ad1', () => context.rect(view.x + (x + left) * view.scale, view.y + (y + top) * view.scale, w * view.scale, h * view.scale));
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

function drawStage(context, view, before, after) {
    let whole = true;
    if (state.view === 'side') {
        const other = viewOf($('two').querySelector('.base')), second = other.canvas.getContext('2d');
        second.clearRect(0, 0, other.width, other.height);
        whole = drawCell(context, view, before, 'before') && drawCell(second, other, after, 'after');
        drawAllMarks(context, view, before, 'before');
        drawAllMarks(second, other, after, 'after');
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
        const key = [state.sheet, state.clip, state.pass, state.hot, is_shipped, view.width, view.height, view.scale, view.x, view.y].join('\n');
        const heat = $('one').querySelector('.heat');
        if (heat.key !== key) {
            viewOf(heat);
            heat.key = drawHeat(heat.getContext('2d'), view) ? key : null;
            whole = whole && heat.key === key;
        }
    } else {
        whole = drawBoth(context, view, before, after);
    }
    if (!['side', 'heat'].includes(state.view)) {
        drawAllMarks(context, view, before, 'before');
        drawAllMarks(context, view, after, 'after');
    }
    return whole;
}

function onTick(now, passed) {
    if (document.readyState === 'loading' && !$('stage').dataset.drawn)
        redraw();
    playTile(now);
    if (state.view === 'blink' && !calm.matches && Math.floor(now / BLINK_MS) !== Math.floor((now - passed) / BLINK_MS))
        act({side: beside(SIDES, state.side)});
}

/* -- The list, of which only what is seen is there ---------------------------------------------------------------- */

const ROW = 68, HEAD = 50;
let rows = [], laid = null;

const causesOf = of => (of.causes?.length ? of.causes : [of.cause]).map(i => data.causes[i]?.text).filter(Boolean);

/* What is said of how much a sheet changed, in a row and in a sentence. */
function numbersOf(of, is_short) {
    if (!of.change)
        return plain(of.frames_text ?? '');
    return `change ${percent(of.change.mean)}${is_short ? ' · ' : ', '}${plain(of.frames_text)}${is_short ? '' : `; largest difference of a pixel ${percent(of.change.max)}`}`;
}

function layRows() {
    const wanted = state.find.toLowerCase().split(/\s+/).filter(Boolean), groups = new Map();
    laid = [state.sort, state.only, state.find].join('\n');
    for (const of of inOrder()) {
        const is_wanted = state.only === '' || state.only === of.state || state.only === 'open' && !verdicts[of.name]?.verdict;
        of.text ??= [of.name, of.old_name, ...Object.values(of.commit ?? {}), ...causesOf(of)].join(' ').toLowerCase();
        if (!is_wanted || !wanted.every(word => of.text.includes(word)))
            continue;
        groups.has(groupOf(of)) || groups.set(groupOf(of), []);
        groups.get(groupOf(of)).push(of);
    }
    rows = [];
    let y = 0;
    const add = (row, height) => { rows.push({...row, y, height}); y += height; };
    for (const [group, sheets] of groups) {
        add({group, size: sheets.length}, HEAD);
        sheets.forEach(of => add({of}, ROW));
    }
    $('list').style.height = `${y}px`;
    $('list').replaceChildren();
    showRows();
}

function makeRow(row) {
    const node = make('div', {role: 'listitem', 'aria-setsize': rows.length, 'aria-posinset': rows.indexOf(row) + 1});
    node.style.top = `${row.y}px`;
    node.style.height = `${row.height}px`;
    if (row.group) {
        node.append(make('h2', {}, make('button', {type: 'button', title: `Overview: ${plain(titleOf(row.group))}`, onclick: () => { openDrawer(false); act({cause: row.group}); }},
                                        foreign('span', titleOf(row.group)), make('span', {textContent: row.size}))));
        return node;
    }
    const {of} = row, thumb = make('span', {className: 'thumb'});
    node.append(make('button', {type: 'button', title: plain(of.name), onclick: () => { openDrawer(false); openSheet(of); }}, thumb, make('span', {}, ...linesOf(of)), verdictOf(of)));
    row.thumb = () => {
        const frame = worstOf(of), side = frame?.after ? 'after' : 'before';
        showThumb(thumb, cellOf(of, frame, side, of.passes[0]), 44);
    };
    return node;
}

/* Another version of the sheet goes on with the clip, where it has changed that. */
function openSheet(of) {
    const goes_on = is_history && of.line === sheet?.line && of.strips && of.clips.some(c => c.name === state.clip && c.frames.some(frame => frame.state !== 'same'));
    act({sheet: of.name, cause: '', ...goes_on ? {} : {clip: '', frame: '', t: 0}});
}
const verdictOf = of => make('span', {className: 'verdict', textContent: {accept: '✓ accepted', reject: '✕ rejected'}[verdicts[of.name]?.verdict] ?? ''});

/* Of a sheet, in the list and on tiles: name, state and folder or old name, numbers. Of a version: subject, state and who, when and numbers. */
function linesOf(of) {
    const [folder, name] = titlesOf(of), about = is_history ? of.commit.author : of.old_name ? `was ${of.old_name}` : folder;
    return [make('b', {className: 'foreign'}, plain(name)),
            make('small', {className: 'foreign'}, make('span', {className: `state ${of.state}`, textContent: of.state}), about ? ` · ${plain(about)}` : ''),
            make('small', {title: numbersOf(of)}, [of.day, numbersOf(of, true), of.strips ? '' : 'no pictures'].filter(Boolean).join(' · '))];
}
const titlesOf = of => is_history ? [`${of.called} · ${of.commit.author} · ${of.day} · ${of.commit.id.slice(0, 7)}`, of.commit.subject || of.name] : namesOf(of);

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
        const button = node.querySelector('button'), is_current = state.cause ? row.group === state.cause : row.of && row.of === sheet;
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
    const row = rows.find(({of}) => of === sheet), area = $('rows');
    if (row && (row.y < area.scrollTop || row.y + ROW > area.scrollTop + area.clientHeight))
        area.scrollTop = row.y - area.clientHeight / 2;
    showRows();
}

function stepSheet(by) {
    const sheets = rows.map(row => row.of).filter(Boolean), next = sheets[sheets.indexOf(sheet) + by];
    if (!next)
        return say('There is no further sheet.');
    openSheet(next);
    say(`${plain(sheet.name)}: ${sheet.state}`);
}

function showFilters() {
    const states = Object.entries(data.totals.sheets).filter(([name, n]) => name !== 'same' && n).map(([name, n]) => [name, `${name} ${n}`]);
    $('filters').append(...[['', `all ${data.sheets.length}`], ...states, ...is_history ? [] : [['open', 'without verdict']]].map(([name, text]) => choice('only', name, text)));
    $('sort').append(...Object.entries(ORDERS).map(([value, [textContent]]) => make('option', {value, textContent})));
}

/* -- The overview of a cause: its sheets as tiles, which play under the pointer and with the focus --------------------- */

const TILES = 60, TILE = 118;
let tile_count = TILES, playing = null;

const sheetsOfCause = () => inOrder().filter(of => groupOf(of) === state.cause);

function makeTile(of) {
    const halves = SIDES.map(() => make('span', {className: 'thumb'})), frame = worstOf(of);
    const tile = {of, halves, start: performance.now(), clip: of.clips.find(c => c.frames.includes(frame))};
    const sizes = (tile.clip?.frames ?? []).flatMap(each => SIDES.flatMap(side => each[side]?.size ?? []));
    tile.most = Math.max(...sizes, 1);
    const show = frames => halves.forEach((half, i) => showThumb(half, cellOf(of, frames[i], SIDES[i], of.passes[0]), TILE, tile.most));
    const play = () => { playing = calm.matches ? null : tile; tile.start = performance.now(); };
    const stop = () => { playing = null; show([frame, frame]); };
    tile.show = show;
    show([frame, frame]);
    return make('li', {}, make('button', {type: 'button', title: plain(of.name), onclick: () => openSheet(of), onpointerenter: play, onfocus: play, onpointerleave: stop, onblur: stop},
        make('span', {className: 'pair'}, ...of.strips && tile.clip ? halves.map(half => make('span', {}, half)) : [plain(of.reason ?? 'its pictures were left out')]), ...linesOf(of), verdictOf(of)));
}

function playTile(now) {
    if (!playing?.clip)
        return;
    playing.tracks ??= SIDES.map(side => trackOf(playing.clip.frames, side));
    const end = Math.max(...playing.tracks.map(track => track.end), 1);
    playing.show(playing.tracks.map(track => frameAt(track, (now - playing.start) % end)));
}

function showOverview() {
    const sheets = sheetsOfCause(), seen = seenOf(sheets), open = seen.filter(of => !verdicts[of.name]?.verdict);
    $('cause').replaceChildren(foreign('span', titleOf(state.cause)), ` · ${count(sheets.length, is_history ? 'version' : 'sheet')}`);
    const words = seen.length === sheets.length ? 'Accept all of this cause' : 'Accept all that are seen here';
    $('accept-all').textContent = open.length || !seen.length ? `${words} (${open.length})` : 'Take back what is accepted';
    $('accept-all').disabled = seen.every(of => verdicts[of.name]?.verdict === 'reject');
    $('tiles').replaceChildren(...sheets.slice(0, tile_count).map(makeTile));
    $('more').hidden = sheets.length <= tile_count;
    $('more').textContent = `Show ${Math.min(TILES, sheets.length - tile_count)} more`;
    playing = null;
}

/* Those whose pictures are on the page and among the tiles: nobody accepts a failure, or what cannot be seen, by the dozen. */
const seenOf = sheets => sheets.slice(0, tile_count).filter(of => of.strips && !isFailed(of));

/* Accepts the sheets without a verdict; once there is none, takes back what is accepted. */
function acceptAll() {
    const sheets = seenOf(sheetsOfCause()), open = sheets.filter(of => !verdicts[of.name]?.verdict);
    if (open.length)
        judge({verdict: 'accept'}, open);
    else
        judge({verdict: ''}, sheets.filter(of => verdicts[of.name].verdict === 'accept'));
}

function turnOverview() {
    act({cause: state.cause ? '' : groupOf(sheet)});
    state.cause && $('cause').focus();
}

/* -- The sheet ---------------------------------------------------------------------------------------------------- */

const weight = frame => frame.state === 'same' ? -1 : frame.change ? frame.change.mean + 1e-6 : differs(frame) ? 1e-7 : 0;
const worst = frames => frames.reduce((most, frame) => !most || weight(frame) > weight(most) ? frame : most, null);
const worstOf = of => worst(of.clips.flatMap(c => c.frames).filter(frame => SIDES.some(side => frame[side])));

function onSheet() {
    const [folder, name] = titlesOf(sheet), below = [folder, sheet.old_name && `was ${sheet.old_name}`].filter(Boolean).join(' · ');
    $('name').replaceChildren(foreign('span', name), ...below ? [make('small', {}, foreign('span', below))] : []);
    $('name').title = plain(sheet.name);
    $('state').textContent = sheet.state;
    $('state').className = `state ${sheet.state}`;
    const lines = sheet.reason ? [sheet.reason] : causesOf(sheet);
    $('numbers').textContent = numbersOf(sheet) && `: ${numbersOf(sheet)}`;
    $('why').replaceChildren(foreign('span', lines.slice(0, 2).join('; ')));
    $('others').hidden = lines.length <= 2;
    $('others').replaceChildren(make('summary', {textContent: `${lines.length - 2} more`}), ...lines.slice(2).map(line => make('p', {}, foreign('span', line))));
    is_history && showVersions();
    showMatrix();
    onPass();
    showFacts();
    $('remark-box').hidden = !verdicts[sheet.name]?.comment;
    $('remark').value = verdicts[sheet.name]?.comment ?? '';
    revealRow();
}

/* What the commit of a version left of the clip that is shown, or else of the frame that it changed most: as it ships. */
function leftCell(of) {
    const frames = of.clips.find(c => c.name === state.clip && c.frames.some(f => f.after))?.frames ?? [worstOf(of)], frame = frames.find(f => f?.after);
    const shipped = !is_shipped && of.strips?.shipped_after;
    return shipped ? cellOf({strips: {after: shipped}}, frame?.shipped, 'after', of.passes[0]) : cellOf(of, frame, 'after', of.passes[0]);
}

/* The versions of the sheet, from the oldest to the newest. Their pictures are opened where they are seen. */
function showVersions() {
    const strip = $('versions'), opened = new IntersectionObserver(seen => seen.forEach(({target, isIntersecting}) => isIntersecting && target.show()), {root: strip});
    strip.replaceChildren(...versionsOf(sheet).map(of => {
        const thumb = make('span', {className: 'thumb'}), about = plain(`${of.commit.author}: ${of.commit.subject}`);
        const button = make('button', {type: 'button', title: about, tabIndex: of === sheet ? 0 : -1, onclick: () => goToVersion(of)},
            thumb, make('span', {className: `state ${of.state}`, textContent: of.state}), make('small', {}, of.day), make('span', {className: 'hidden'}, about));
        of === sheet && button.setAttribute('aria-current', 'true');
        thumb.show = () => showThumb(thumb, leftCell(of), 44);
        opened.observe(thumb);
        return make('div', {role: 'listitem'}, button);
    }));
    const {parentNode: {offsetLeft, offsetWidth}} = strip.querySelector('[aria-current]');
    strip.scrollLeft = offsetLeft - strip.offsetLeft - (strip.clientWidth - offsetWidth) / 2;
}

function goToVersion(of) {
    if (!of)
        return say('There is no further version.');
    const had_focus = $('versions').contains(document.activeElement);
    openSheet(of);
    had_focus && $('versions').querySelector('[aria-current]').focus();
    say(`${titlesOf(of).toReversed().map(plain).join(', ')}: ${of.state}`);
}

const stepVersion = by => goToVersion(versionsOf(sheet)[versionsOf(sheet).indexOf(sheet) + by]);

/* A button for each clip, in lines of what plays and columns of where it is seen from, coloured by how much it changed. */
function showMatrix() {
    const matrix = $('matrix'), key = c => namesOf(c)[0] === undefined ? [c.name, ''] : namesOf(c);
    if (matrix.of !== sheet) {
        const lines = new Map(), cameras = [...new Set(sheet.clips.map(c => key(c)[1]))], most = Math.max(...sheet.clips.filter(c => !wholeOf(c)).map(muchOf), 1e-9);
        for (const c of sheet.clips) {
            const [line, camera] = key(c);
            lines.has(line) || lines.set(line, new Map());
            lines.get(line).set(camera, makeEntry(c, muchOf(c) / most));
        }
        matrix.of = sheet;
        matrix.replaceChildren(make('table', {'aria-label': 'Clips by cameras: how many frames look otherwise'},
            make('thead', {}, make('tr', {}, make('td'), ...cameras.map(camera => make('th', {scope: 'col', textContent: plain(camera)})))),
            make('tbody', {}, ...[...lines].map(([line, entries]) => make('tr', {}, make('th', {scope: 'row', textContent: plain(line)}),
                ...cameras.map(camera => make('td', {}, ...entries.has(camera) ? [entries.get(camera)] : [])))))));
    }
    matrix.hidden = sheet.clips.length < 2;
    for (const entry of matrix.querySelectorAll('button'))
        press(entry, entry.clip === clip);
    const is = matrix.querySelector('[aria-pressed=true]')?.getBoundingClientRect(), all = matrix.getBoundingClientRect();
    if (is && (is.top < all.top || is.bottom > all.bottom))
        matrix.scrollTop += is.top - all.top - all.height / 2;
    if (is && (is.left < all.left + all.width / 3 || is.right > all.right)) /* the names of the lines lie over the left */
        matrix.scrollLeft += is.left - all.left - all.width / 2;
}

/* Of a clip that only one side has: which. */
const wholeOf = c => ['added', 'removed'].find(kind => allOf(c).every(({state}) => state === kind));

/* Of a clip: the mean difference of its frames; a frame that only one side has differs as much as may be. */
const muchOf = c => allOf(c).reduce((sum, frame) => sum + (frame.change?.mean ?? (differs(frame) ? 1 : 0)), 0) / (allOf(c).length || 1);

function makeEntry(c, part) {
    const frames = allOf(c), n = frames.filter(differs).length, most = Math.max(...frames.map(frame => frame.change?.mean ?? 0), 0);
    const text = c.frames_text ? `${most > 0 ? `change ${percent(most)}, ` : ''}${c.frames_text}` : 'the same';
    const whole = wholeOf(c), is_left_out = n && !hasPictures(c), title = `${plain(c.name)}: ${whole ? `${whole}, ` : ''}${text}${is_left_out ? '; its pictures were left out' : ''}`;
    const entry = make('button', {type: 'button', className: whole ?? '', textContent: whole ? `${whole === 'added' ? '+' : '−'}${n}` : n || '–', title, 'aria-label': title,
        disabled: !hasPictures(c) && sheet.clips.some(hasPictures), onclick: () => act({clip: c.name, frame: '', t: 0})});
    entry.clip = c;
    entry.style.setProperty('--part', `${Math.round(90 * Math.sqrt(part))}%`);
    return entry;
}

function onPass() {
    const most = Math.max(...clip?.frames.map(frame => frame.change?.mean ?? 0) ?? [], 1e-9);
    $('film').replaceChildren(...(clip?.frames ?? []).map((frame, i) => {
        const thumb = make('span', {className: 'thumb'}), bar = make('span', {className: `bar ${frame.state}`});
        const mean = frame.change?.mean ?? (differs(frame) ? most : 0);
        bar.style.height = frame.state === 'same' ? '0' : `${Math.max(2, Math.round(26 * Math.sqrt(Math.min(mean / most, 1))))}px`;
        showThumb(thumb, cellOf(sheet, frame, frame.after ? 'after' : 'before', state.pass), 44);
        return make('div', {role: 'listitem'}, make('button', {
            type: 'button', 'aria-label': `Frame ${i}: ${describe(frame)}`, title: `${plain(frame.name)}: ${describe(frame)}`,
            onclick: () => act({frame: frame.name, play: false}),
        }, thumb, bar, make('small', {textContent: i, 'aria-hidden': 'true'})));
    }));
    $('film').hidden = $('clock').hidden;
}

function describe(frame) {
    const change = frame.change, [w, h] = (frame.after ?? frame.before).size;
    const more = {rescaled: sheet.strips?.shipped_after ? 'the pixels are the same, the scale is not' : 'the scale or the cell is another one: not compared', moved: 'the pixels are the same, the pivot or trim is not', renamed: `was ${plain(frame.old_name)}`,
                  retimed: `lasted ${Math.round(frame.before?.duration)} ms, lasts ${Math.round(frame.after?.duration)} ms`}[frame.state];
    const words = frame.state + (more ? `: ${more}` : '');
    if (!change?.pixels)
        return words;
    if (!change.passes.includes(state.pass))
        return `the same in this pass, ${words} in ${change.passes.map(plain).join(', ')}`;
    const passes = sheet.passes.length > 1 ? `, in ${change.passes.map(plain).join(', ')}` : '';
    return `${words}: ${count(change.pixels, 'pixel')} (${percent(change.pixels / (w * h))} of the cell), by up to ${percent(change.max)}, on average of what either side shows ${percent(change.mean)}${passes}`;
}

function showFacts() {
    const {before = {}, after = {}} = sheet.facts ?? {}, keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const parts = [], list = (title, texts) => texts?.length && parts.push(make('section', {}, make('h3', {textContent: title}), make('ul', {}, ...texts.map(text => make('li', {}, foreign('span', text))))));
    if (sheet.findings?.length)
        parts.push(make('section', {}, make('h3', {textContent: 'Rules'}), ...findingNodes(sheet.findings)));
    list('What differs in the model', sheet.model);
    list('What each side ships', sheet.ships);
    if (keys.length) {
        const row = key => make('tr', {className: before[key] === after[key] ? '' : 'differs'}, make('th', {scope: 'row', textContent: plain(key).replaceAll('_', ' ')}),
                                ...SIDES.map(side => make('td', {textContent: plain(sheet.facts[side]?.[key] ?? '–')})));
        parts.push(make('table', {}, make('caption', {textContent: 'The model'}),
                        make('thead', {}, make('tr', {}, make('td'), ...SIDES.map(side => make('th', {scope: 'col', textContent: side})))),
                        make('tbody', {}, ...keys.map(row))));
    }
    list('New warnings', sheet.warnings?.added);
    list('Warnings that are gone', sheet.warnings?.removed);
    $('facts').replaceChildren(...parts);
}

function noticeOf() {
    if (!clip && sheet.reason)
        return plain(sheet.reason);
    if (!sheet.strips)
        return 'The pictures of this sheet were left out to keep the page small. Give a larger --max-size, or write the page to a folder: --html DIR/';
    if (!sheet.clips.length)
        return 'This sheet has no frames to show.';
    if (!clip || !hasPictures(clip))
        return `All pixels are the same: ${sheet.state}.`;
    return '';
}

/* -- Controls: what the state says -------------------------------------------------------------------------------- */

function onView() {
    const stage = $('stage'), is_side = state.view === 'side';
    if (laid !== [state.sort, state.only, state.find].join('\n')) {
        layRows();
        revealRow();
    }
    $('sort').value = state.sort;
    if ($('search').value !== state.find)
        $('search').value = state.find;
    if ($('overview').dataset.of !== state.cause) {
        $('overview').dataset.of = state.cause;
        tile_count = TILES;
        $('main').scrollTop = 0;
        state.cause && showOverview();
        showRows();
    }
    $('overview').hidden = !state.cause;
    $('sheet').hidden = !!state.cause;
    stage.style.setProperty('--taken', `${[$('versions'), $('matrix')].reduce((sum, {offsetHeight}) => sum + (offsetHeight && offsetHeight + 8), 0)}px`);
    $('shipped').hidden = !sheet.strips?.shipped_after && sheet.state !== 'rescaled';
    showExtras();
    for (const [word, is] of [['swipe', state.view === 'swipe'], ['dark', state.view === 'difference'], ['heatmap', state.view === 'heat']])
        stage.classList.toggle(word, is);
    $('two').hidden = !is_side;
    $('one').querySelector('.heat').hidden = state.view !== 'heat';
    /* Where the window is narrow, one above the other, as large as its width lets them. */
    stage.style.height = is_side && narrow.matches ? `clamp(280px, ${2 * (fitOf(stage.clientWidth, Infinity) * (box[3] - box[1]) + 8) + 4}px, 88vh)` : '';
    const {clientWidth: w, clientHeight: h} = stage;
    stage.classList.toggle('tall', is_side && fitOf(w, h / 2) > fitOf(w / 2, h));
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
        const parts = {onion: () => slide('mix', 'Before to after'),
                       blink: () => choices('side', SIDES.map(side => [side, side === 'before' ? 'Before' : 'After']), 'Side'),
                       amp: () => choices('amp', AMPLIFY.map(n => [n, `×${n}`]), 'Amplify'),
                       hot: () => choices('hot', AMPLIFY.map(n => [n, `×${n}`]), 'Amplify')};
        $('extras').replaceChildren(...(parts[key] ? [parts[key]()] : []));
        $('handle').hidden = key !== 'swipe';
        if (key === 'blink' && calm.matches)
            $('extras').append(make('span', {textContent: 'Does not blink by itself: your system asks for less motion.'}));
    }
    const input = $('extras').querySelector('input');
    if (input)
        input.value = state.mix;
    $('handle').value = state.split;
}

function choices(key, values, name) {
    return make('div', {className: 'row joined', role: 'group', 'aria-label': name}, ...values.map(([value, text]) => choice(key, value, text)));
}

const stillOf = c => c.still === undefined ? '' : `. To keep the page small, only this frame of the sheet is here${c.lossy ? ', with losses that the views show as differences' : ''}`;

function onFrame(frame) {
    const numberOf = frame => clip.still ?? clip.frames.indexOf(frame), index = numberOf(frame), film = $('film'), node = film.children[clip.frames.indexOf(frame)]?.firstChild;
    film.querySelector('[aria-current]')?.removeAttribute('aria-current');
    node?.setAttribute('aria-current', 'true');
    if (node && (node.offsetLeft - film.offsetLeft < film.scrollLeft || node.offsetLeft - film.offsetLeft + 50 > film.scrollLeft + film.clientWidth))
        film.scrollLeft = node.offsetLeft - film.offsetLeft - film.clientWidth / 2;
    const [before, after] = SIDES.map(current), numbers = [before, after].map((of, i) => of?.[SIDES[i]] ? numberOf(of) : null);
    $('figures').replaceChildren(...before === after || !before || !after ? [make('b', {textContent: `Frame ${index}`}), ` ${describe(frame)}${stillOf(clip)}`] :
                                 [make('b', {textContent: `Frame ${numbers[0]} before, frame ${numbers[1]} after`}), ' at this time: the frames of the clip differ']);
    const names = sheet.old_name ? [sheet.old_name, sheet.name].map(name => `: ${plain(name)}`) : ['', ''];
    const caption = (side, i) => `${side === 'before' ? 'Before' : 'After'}${names[i]}${numbers[i] === null ? ': no such frame' : ` · frame ${numbers[i]}`}`;
    const one = $('one').firstChild, texts = SIDES.map(caption);
    one.textContent = {side: texts[0], swipe: `${texts[0]}  |  ${texts[1]}`, onion: `${texts[0]} and ${texts[1].toLowerCase()}`,
                       blink: texts[SIDES.indexOf(state.side)], difference: `Difference ×${state.amp} · frame ${index}`,
                       heat: `Largest difference ×${state.hot} of all ${clip.frames.length} frames`}[state.view];
    $('two').firstChild.textContent = texts[1];
}

/* -- The fragment ------------------------------------------------------------------------------------------------- */

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
    among('sort', Object.keys(ORDERS));
    among('only', [...$('filters').children].map(button => button.dataset.value));
    among('cause', data.sheets.map(groupOf));
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

function judge(change, sheets = [sheet]) {
    for (const {name} of sheets)
        verdicts[name] = {...verdicts[name], ...change};
    try {
        localStorage.setItem(store, JSON.stringify(verdicts));
    } catch { /* the verdicts live as long as the page */ }
    if ('verdict' in change) {
        say(change.verdict ? `${sheets.length > 1 ? count(sheets.length, 'sheet') : plain(sheets[0].name)}: ${change.verdict}ed` : 'Verdict taken back');
        layRows();
        state.cause && showOverview();
        showViews();
    }
}

const decide = verdict => judge({verdict: verdicts[sheet.name]?.verdict === verdict ? '' : verdict});

function remark() {
    $('remark-box').hidden = !$('remark-box').hidden;
    showViews();
    $('remark-box').hidden || $('remark').focus();
}

/* The lines that a check reads (review/verdict.h): one for a cause of which all is accepted, and one for each other sheet, or
 * with words. In a block of code, where names of strangers are no Markdown. */
function verdictLines() {
    const lines = [], given = ({name}) => ({comment: '', verdict: '', ...verdicts[name]});
    for (const [cause, sheets] of Map.groupBy(data.sheets.filter(({accept}) => accept), one => data.causes[one.cause])) {
        const is_whole = sheets.length > 1 && sheets.every(one => given(one).verdict === 'accept');
        if (is_whole)
            lines.push(cause.accept);
        for (const one of sheets) {
            const {verdict, comment} = given(one), words = plain(comment.trim().replace(/\s+/g, ' '));
            if (verdict && (words || !is_whole))
                lines.push(one.accept.replace(' accept ', ` ${verdict} `) + (words && `: ${words}`));
        }
    }
    return lines.length ? ['```', ...lines, '```'].join('\n') : '';
}

/* Returns a name, which may be a stranger's, as code unless it is plain in Markdown, too. */
function asCode(text) {
    const name = plain(text), ticks = '`'.repeat(1 + Math.max(0, ...(name.match(/`+/g) ?? []).map(run => run.length)));
    return /^[\w/.^~ -]*$/.test(name) ? name : `${ticks} ${name} ${ticks}`;
}

/* Of the sheets without a verdict, those with a comment are named, the others counted. */
function verdictText() {
    const parts = [`## Sheets from ${asCode(data.before.name)} to ${asCode(data.after.name)}`, verdictLines()].filter(Boolean);
    for (const [verdict, title] of [['reject', 'Rejected'], ['accept', 'Accepted'], ['', 'Without a verdict']]) {
        const sheets = data.sheets.filter(({name}) => (verdicts[name]?.verdict ?? '') === verdict), lines = [];
        for (const {name, state} of sheets) {
            const comment = verdicts[name]?.comment?.trim().replace(/\n/g, ' ');
            if (verdict || comment)
                lines.push(`- ${asCode(name)}: ${state}${comment ? `\n  > ${plain(comment)}` : ''}`);
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

/* -- Keys --------------------------------------------------------------------------------------------------------- */

/* The next frame that looks otherwise, of this clip or else of the next one that has such; where all frames look the same, the
 * next that differs. */
function stepChanged(by) {
    const is_wanted = looksOf(sheet) ? differs : frame => frame.state !== 'same';
    const all = sheet.clips.flatMap(c => c.frames.map(frame => [c, frame])).filter(([c, frame]) => is_wanted(frame) && hasPictures(c));
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

/* [keys, what they do, how] */
const KEYS = [
    [['j', 'ArrowDown'], is_history ? 'older version, then the next sheet' : 'next sheet', () => stepSheet(1)],
    [['k', 'ArrowUp'], is_history ? 'newer version, then the previous sheet' : 'previous sheet', () => stepSheet(-1)],
    [['1', '2', '3', '4', '5', '6'], VIEWS.map(([, word]) => word.toLowerCase()).join(', '), key => act({view: VIEWS[key - 1][0]})],
    ...PLAYER_KEYS,
    [['d'], 'changed box', () => toggle('box')],
    [['w'], 'worst frame', goWorst],
    [['n'], 'next changed frame', () => stepChanged(1)],
    [['p'], 'previous changed frame', () => stepChanged(-1)],
    [['f'], 'one frame for both sides, or as they ship', () => act({shipped: !state.shipped})],
    [['m'], 'amplify by 1, 4 or 16', () => act(state.view === 'heat' ? {hot: beside(AMPLIFY, state.hot)} : {amp: beside(AMPLIFY, state.amp)})],
    [['x'], 'other side, in the blink view', () => act({side: beside(SIDES, state.side)})],
    [['h', 'l'], 'move the divider, or the mix', key => act(shift(key === 'l' ? 0.05 : -0.05))],
    [['o'], `overview of the ${is_history ? 'sheet' : 'cause'}, and back`, turnOverview],
    [['a'], 'accept', () => decide('accept')],
    [['r'], 'reject', () => decide('reject')],
    [['c'], 'comment', remark],
    [['y'], 'verdicts as text', showVerdicts],
    [['/'], 'search', () => { openDrawer(true); $('search').focus(); }],
    ...GENERAL_KEYS,
].filter(([[key]]) => !(is_history && 'arcy'.includes(key))); /* nobody judges what has been */
const OVERVIEW_KEYS = KEYS.filter(([[key]]) => ['o', 'y', '/', 't', '?'].includes(key));
const shift = by => state.view === 'onion' ? {mix: Math.min(Math.max(state.mix + by, 0), 1)} : {split: Math.min(Math.max(state.split + by, 0), 1)};
function openDrawer(is_open) {
    $('side').classList.toggle('open', is_open);
    $('drawer').setAttribute('aria-expanded', is_open);
    showRows();
}

/* -- Start -------------------------------------------------------------------------------------------------------- */

function showTotals() {
    const {sheets} = data.totals, parts = Object.entries(sheets).filter(([name, n]) => name !== 'same' && n).map(([name, n]) => `${n.toLocaleString('en')} ${name}`);
    const title = (id, side) => $(id).replaceChildren(foreign('span', side.name), ...side.detail ? [' ', make('small', {}, foreign('span', side.detail))] : []);
    title('old-side', is_history ? {name: `History: ${data.before.name}`} : data.before);
    title('new-side', data.after);
    const in_all = is_history ? `${count(new Set(data.sheets.map(of => of.line)).size, 'sheet')} through ${count(new Set(data.sheets.map(of => of.commit.id)).size, 'commit')}: ` : '';
    $('totals').textContent = in_all + parts.join(', ') || 'nothing changed';
    document.title = `${in_all}${parts.join(', ') || 'Nothing changed'}: ${plain(data.before.name)} → ${plain(data.after.name)}`.slice(0, 300);
    $('unchanged').textContent = is_history ? 'Commits that changed no picture are left out.' : sheets.same ? `${count(sheets.same, 'sheet')} without a change` : 'All sheets are listed.';
}

function start() {
    showTotals();
    $('views').append(...VIEWS.map(([view, text], i) => choice('view', view, text, i + 1)));
    $('views').after(Object.assign(choice('shipped', true, 'As shipped', 'f'), {id: 'shipped', onclick: () => act({shipped: !state.shipped})}));
    addHelp(['', KEYS]);
    for (const node of [$('report'), $('accept-all'), $('accept').parentNode])
        node.hidden = is_history;
    $('versions').hidden = !is_history;
    $('leave').textContent = `Back to the ${is_history ? 'version' : 'sheet'}`;
    $('versions').addEventListener('keydown', event => {
        const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (!by || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)
            return;
        event.preventDefault();
        event.stopPropagation();
        stepVersion(by);
    });
    const on = (id, run, event = 'click') => $(id).addEventListener(event, run);
    on('drawer', () => openDrawer(!$('side').classList.contains('open')));
    on('report', showVerdicts);
    on('theme', setTheme);
    on('search', event => act({find: event.target.value}), 'input');
    on('sort', event => act({sort: event.target.value}), 'change');
    on('accept-all', acceptAll);
    on('leave', turnOverview);
    on('more', () => { tile_count += TILES; showOverview(); $('tiles').children[tile_count - TILES].firstChild.focus(); });
    on('rows', showRows, 'scroll');
    on('copy', copyVerdicts);
    addEventListener('keydown', event => runKey(event, !sheet ? GENERAL_KEYS : state.cause ? OVERVIEW_KEYS : KEYS));
    if (!data.sheets.length) {
        const {same} = data.totals.sheets;
        for (const id of ['sheet', 'drawer', 'report', 'find'])
            $(id).hidden = true;
        $('none').hidden = false;
        $('none').textContent = `Nothing changed. ${!same ? 'No sheet differs' : same === 1 ? 'The only sheet is the same on both sides' : `All ${count(same, 'sheet')} are the same on both sides`}.`;
        return;
    }
    showFilters();
    $('jump').hidden = false;
    startPlayer((event, canvas) => {
        const {left, width} = canvas.getBoundingClientRect();
        if (state.view === 'swipe')
            act({split: Math.min(Math.max((event.clientX - left) / width, 0), 1)});
        return state.view === 'swipe';
    });
    $('stage').append(make('input', {type: 'range', id: 'handle', className: 'handle', min: 0, max: 1, step: 0.01, 'aria-label': 'Divider', hidden: true}));
    on('handle', event => act({split: +event.target.value}), 'input');
    on('accept', () => decide('accept'));
    on('reject', () => decide('reject'));
    on('comment', remark);
    on('remark', event => judge({comment: event.target.value}), 'input');
    on('worst', goWorst);
    on('next', () => stepChanged(1));
    addEventListener('hashchange', () => location.hash !== fragment && readFragment());
    new ResizeObserver(showRows).observe($('rows'));
    readFragment();
    /* Pictures that were still on their way. */
    addEventListener('DOMContentLoaded', () => { sheet && onPass(); is_history && showVersions(); layRows(); state.cause && showOverview(); redraw(); });
}

start();
