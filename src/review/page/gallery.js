/* The gallery. `data` has a row for each sheet; sheets/ID.js, loaded when a sheet is first played or opened, has its frames:
 * a script, because a page from file:// may not read other files, which calls `addSheet`. src/review/gallery.c writes them
 * and names their fields. Text from files goes into text nodes alone. */
const data = JSON.parse($('data').textContent), rows = data.sheets;
let shown = [];
let wanted = {};                 // what the fragment says

/* -- Pictures ------------------------------------------------------------------------------------------------------ */

/* Few at a time, the latest first: those that were scrolled past meanwhile are no longer wanted. */
const waiting = [];
let loading = 0;

function loadNext() {
    while (loading < 3 && waiting.length) {
        const {url, isWanted, done, part} = waiting.pop();
        if (!isWanted()) continue;
        const picture = new Image();
        loading++;
        new Promise((loaded, failed) => Object.assign(picture, {onload: loaded, onerror: failed, src: url}))
            .then(() => createImageBitmap(picture, ...part)).then(done, () => done(null))
            .finally(() => { picture.removeAttribute('src'); loading--; loadNext(); });
    }
}

/* Calls `done` with a picture, or the part of it at x, y, of w times h pixels; null if there is none. It is a bitmap and no
 * element: browsers keep hundreds of megabytes of decoded elements, but a bitmap is freed when it is dropped. */
function loadPicture(url, isWanted, done, ...part) {
    waiting.push({url, isWanted, done, part});
    loadNext();
}

const drop = bitmap => bitmap?.close();

/* Draws a cell into the middle of a canvas, as large as fits. */
function drawTile(canvas, picture, {size, place: [x, y, w, h, cut_x, cut_y]}, whole) {
    const {width, height} = canvas, context = canvas.getContext('2d'), fits = Math.min(width / size[0], height / size[1]);
    const scale = fits > 1 ? Math.min(Math.floor(fits), 8 * devicePixelRatio) : fits;
    const left = Math.floor((width - size[0] * scale) / 2), top = Math.floor((height - size[1] * scale) / 2);
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = scale < 1 || whole?.width < w;
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, ...whole ? [0, 0, whole.width, whole.height] : [x, y, w, h], left + cut_x * scale, top + cut_y * scale, w * scale, h * scale);
}

function setSize(canvas, width, height) {
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
}

/* -- Sheets' own data ---------------------------------------------------------------------------------------------- */

const sheets = new Map(), asked = new Map();    // by id: what came; who waits for it
const MOST_SHEETS = 50;

function loadSheet(row, done) {
    if (sheets.has(row.id)) return done(sheets.get(row.id));
    if (asked.has(row.id)) return asked.get(row.id).push(done);
    asked.set(row.id, [done]);
    const script = make('script', {src: `index@files/sheets/${row.id}.js`});
    script.onload = () => script.remove();
    script.onerror = () => { script.remove(); asked.get(row.id).forEach(each => each(null)); asked.delete(row.id); };
    document.head.append(script);
}

function addSheet(id, loaded) {
    loaded.row = rows.find(row => row.id === id);
    loaded.name = loaded.row.name;
    loaded.passes = [...new Set(loaded.pages.flatMap(page => page.map(([name]) => name)))];
    loaded.sockets = new Set(loaded.clips.flatMap(clip => clip.frames.flatMap(frame => Object.keys(frame.sockets))));
    for (const clip of loaded.clips) {
        const cut = clip.name.lastIndexOf('/');
        clip.frames = clip.frames.map(after => ({name: after.name, after}));
        clip.track = trackOf(clip.frames, 'after');
        clip.animation = cut < 0 ? clip.name : clip.name.slice(0, cut);
        clip.camera = cut < 0 ? '' : clip.name.slice(cut + 1);
    }
    sheets.set(id, loaded);
    if (sheets.size > MOST_SHEETS) sheets.delete(sheets.keys().next().value);
    (asked.get(id) ?? []).forEach(done => done(loaded));
    asked.delete(id);
}

/* The frame at a time; a clip that does not loop rests at its end for a while. */
const frameOf = ({track, loop}, ms) => frameAt(track, ms % (track.end + (loop ? 0 : HOLD_MS)));

/* No name starts a scheme, a query or a fragment; bytes that are not UTF-8 come as characters from U+EF80 on. */
const addressOf = (row, path) => (data.folders[row.folder] + path).replace(/[^/]/gu,
    c => c >= '\uef80' && c <= '\uefff' ? `%${(c.charCodeAt(0) & 255).toString(16)}` : encodeURIComponent(c));

/* -- The tiles ----------------------------------------------------------------------------------------------------- */

let restTimer = 0;
const GAP = 12, CAPTION = 70;
const tiles = new Map();     // by index in `shown`: those in view, and the one with the focus
let columns = 1, side = 160, lineHeight = 0, focused = 0;
let scrolled = -1000;        // when
let pointed = null;          // the tile under the pointer or with the focus, which plays in any case

function makeTile(index) {
    const row = shown[index], cut = row.name.lastIndexOf('/');
    const canvas = make('canvas', {className: 'checks', 'aria-hidden': 'true'});
    canvas.style.height = `${side}px`;
    setSize(canvas, side, side);
    const facts = make('small', {}, row.absent ? 'not made' : row.problem ? 'cannot be read' : count(row.frames, 'frame'));
    if (row.triangles !== null) facts.append(` · ${count(row.triangles, 'tri')}`);
    const marks = make('span', {className: 'marks'});
    if (row.problem) marks.append(make('span', {className: 'mark bad', title: row.problem}, row.absent ? 'failed' : 'damaged'));
    if (row.stale) marks.append(make('span', {className: 'mark bad', title: row.stale}, 'stale'));
    if (row.missing) marks.append(make('span', {className: 'mark bad'}, count(row.missing, 'missing texture')));
    if (row.findings.length) marks.append(make('span', {className: `mark ${row.broken ? 'bad' : ''}`}, count(row.findings.length, 'finding')));
    if (row.warnings.length) marks.append(make('span', {className: 'mark'}, count(row.warnings.length, 'warning')));
    const link = make('a', {href: fragment({sheet: row.name}), title: row.name, tabIndex: index === focused ? 0 : -1}, canvas,
        make('b', {}, make('bdi', {}, row.name.slice(cut + 1))),
        facts, make('small', {}, make('bdi', {}, row.name.slice(0, Math.max(0, cut)))), marks);
    const item = make('li', {'aria-setsize': shown.length, 'aria-posinset': index + 1}, link);
    const tile = {index, row, item, link, canvas};
    item.style.transform = `translate(${(index % columns) * (side + GAP)}px, ${Math.floor(index / columns) * lineHeight}px)`;
    item.style.width = `${side}px`;
    item.style.height = `${side + CAPTION}px`;
    link.onpointerenter = link.onfocus = () => { pointed = tile; playSeen(); };
    link.onpointerleave = link.onblur = () => { pointed = null; playSeen(); };
    tiles.set(index, tile);
    if (performance.now() - scrolled > 200) drawStill(tile);
    else setTimeout(() => tiles.get(index) === tile && drawStill(tile), 100); /* not what only flies past */
    return tile;
}

function drawStill(tile) {
    const frame = tile.row.still, [x, y, w, h, ...cut] = frame?.place ?? [];
    if (frame && tile.row.picture)
        loadPicture(addressOf(tile.row, tile.row.picture), () => tiles.get(tile.index) === tile && !tile.cells, picture => {
            if (!picture) markTile(tile, 'damaged picture');
            else if (tile.canvas.width && !tile.cells) drawTile(tile.canvas, picture, {...frame, place: [0, 0, w, h, ...cut]});
            drop(picture);
        }, x, y, w, h);
}

function markTile(tile, text) {
    if (!tile.link.textContent.includes(text)) tile.link.querySelector('.marks').append(make('span', {className: 'mark bad'}, text));
}

function removeTile(tile) {
    stop(tile);
    if (pointed === tile) pointed = null;
    tiles.delete(tile.index);
    tile.item.remove();
    tile.canvas.width = tile.canvas.height = 0;
}

/* Whether cards play by themselves: as the address says, else unless the system asks for less motion. */
const playsAll = () => wanted.moving ? wanted.moving === '1' : !calm.matches;

/* Plays the tiles in view, or the one that is pointed at, and stops all others. */
function playSeen() {
    const all = playsAll(), top = scrollY - $('tiles').offsetTop;
    for (const tile of tiles.values()) {
        const y = Math.floor(tile.index / columns) * lineHeight, isSeen = y + side > top && y < top + innerHeight;
        if (!wanted.sheet && (all ? isSeen : tile === pointed && !calm.matches)) play(tile);
        else stop(tile);
    }
}

/* Loads the cells of the clip of the still, no larger than they are shown, and of a long clip each second one, or fewer:
 * those of all cards in view are in memory. */
const MOST_PX = 32e6;
function play(tile) {
    const {row} = tile, turn = {}, isOn = () => tile.turn === turn;
    if (tile.turn || !row.picture) return;
    tile.turn = turn;
    loadSheet(row, found => {
        const clip = found?.clips.length && isOn() ? firstClipOf(found) ?? found.clips[0] : null, cells = new Map();
        if (!clip || clip.frames.length < 2) return;
        const [width, height] = clip.frames[0].after.size, scale = Math.min(1, side / Math.max(width, height));
        const share = MOST_PX / (columns * Math.ceil(innerHeight / lineHeight + 1)), step = Math.ceil(clip.frames.length * width * height * scale * scale / share);
        const few = clip.frames.map(({after}) => after).filter((_, i) => i % step === 0);
        for (const page of new Set(few.map(cell => cell.page)))
            loadPicture(addressOf(row, found.pages[page][0][1]), isOn, async picture => {
                for (const cell of picture && isOn() ? few.filter(each => each.page === page) : []) {
                    const [x, y, w, h] = cell.place, resizeWidth = Math.ceil(w * scale), resizeHeight = Math.ceil(h * scale);
                    cells.set(cell, await createImageBitmap(picture, x, y, w, h, {resizeWidth, resizeHeight, resizeQuality: 'high'}).catch(() => null));
                }
                drop(picture);
                if (isOn()) Object.assign(tile, {cells, clip, few, start: performance.now()});
                else cells.forEach(drop);
            });
    });
}

function stop(tile) {
    if (!tile.turn) return;
    tile.cells?.forEach(drop);
    tile.turn = tile.cells = tile.shown = null;
    if (tiles.get(tile.index) === tile && !wanted.sheet) drawStill(tile);
}

function playTiles(now) {
    for (const tile of tiles.values()) {
        if (!tile.cells) continue;
        const {after} = frameOf(tile.clip, Math.max(0, now - tile.start)), at = tile.few.findLast(each => each.time <= after.time), cell = tile.cells.get(at);
        if (!cell || tile.shown === cell) continue;
        tile.shown = cell;
        drawTile(tile.canvas, cell, at, cell);
    }
}

/* Puts the tiles in view into the list, in order, and takes the others out. */
function showTiles() {
    if (wanted.sheet || !lineHeight) return;
    const top = scrollY - $('tiles').offsetTop, keep = document.activeElement?.closest?.('#tiles li');
    const first = Math.max(0, Math.floor(top / lineHeight) - 1) * columns;
    const last = Math.min(shown.length, (Math.ceil((top + innerHeight) / lineHeight) + 1) * columns);
    for (const [index, tile] of tiles)
        if ((index < first || index >= last) && tile.item !== keep) removeTile(tile);
    let after = null;
    for (let index = last - 1; index >= first; index--) {
        let tile = tiles.get(index);
        if (!tile) {
            tile = makeTile(index);
            $('tiles').insertBefore(tile.item, after);
        }
        after = tile.item;
    }
    clearTimeout(restTimer); /* not what only flies past */
    restTimer = setTimeout(playSeen, 200);
}

function layTiles() {
    for (const tile of [...tiles.values()]) removeTile(tile);
    const width = $('tiles').clientWidth;
    columns = Math.max(1, Math.floor((width + GAP) / (Math.min(cardSize(), width / 2 - GAP) + GAP)));
    side = Math.floor((width + GAP) / columns - GAP);
    lineHeight = side + CAPTION + GAP;
    $('tiles').style.height = `${Math.ceil(shown.length / columns) * lineHeight}px`;
    showTiles();
}

function goTo(index) {
    index = Math.max(0, Math.min(shown.length - 1, index));
    const bar = $('bar').offsetHeight, top = $('tiles').offsetTop + Math.floor(index / columns) * lineHeight;
    if (tiles.has(focused)) tiles.get(focused).link.tabIndex = -1;
    focused = index;
    if (top < scrollY + bar + GAP) scrollTo(0, top - bar - GAP);
    else if (top + lineHeight > scrollY + innerHeight) scrollTo(0, top + lineHeight - innerHeight);
    showTiles();
    const link = tiles.get(index)?.link;
    if (!link) return;
    link.tabIndex = 0;
    link.focus({preventScroll: true});
}

/* -- Search and filters -------------------------------------------------------------------------------------------- */

const ORDERS = {
    triangles: (a, b) => (b.triangles ?? -1) - (a.triangles ?? -1), frames: (a, b) => b.frames - a.frames,
    cell: (a, b) => b.area - a.area, warnings: (a, b) => b.missing + b.warnings.length - a.missing - a.warnings.length,
};

function filter() {
    const words = (wanted.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const least = Number(wanted.least || 0), most = wanted.most ? Number(wanted.most) : Infinity;
    shown = rows.filter(row => words.every(word => row.text.includes(word)) && (!wanted.clip || row.animations.includes(wanted.clip)) &&
        (!wanted.cell || row.cell === wanted.cell) && (!wanted.warnings || row.warnings.length || row.problem || row.stale) &&
        (!wanted.missing || row.missing) && (!wanted.rule || row.findings.some(each => each.rule === wanted.rule || each.level === wanted.rule)) && (!(wanted.least || wanted.most) || row.triangles !== null && row.triangles >= least && row.triangles <= most));
    if (ORDERS[wanted.sort]) shown.sort(ORDERS[wanted.sort]);
    focused = 0;
    $('count').textContent = shown.length === rows.length ? count(rows.length, 'sheet') : `${shown.length.toLocaleString('en')} of ${count(rows.length, 'sheet')}`;
    $('none').hidden = shown.length > 0;
    $('tiles').hidden = !shown.length;
}

/* -- The fragment -------------------------------------------------------------------------------------------------- */

const KEYS = ['q', 'clip', 'cell', 'least', 'most', 'warnings', 'missing', 'rule', 'sort', 'sheet', 'play', 'pass', 'size', 'moving'];
const FILTERS = KEYS.slice(0, 9);

function fragment(change) {
    const all = {...wanted, ...change}, params = new URLSearchParams();
    for (const key of KEYS) if (all[key]) params.set(key, all[key]);
    return `#${params}`;
}

const remember = change => { history.replaceState(null, '', fragment(change)); Object.assign(wanted, change); };

function readFragment() {
    const before = wanted, params = new URLSearchParams(location.hash.slice(1));
    wanted = Object.fromEntries(KEYS.map(key => [key, params.get(key) ?? '']));
    for (const key of FILTERS) {
        const control = key === 'q' ? $('q') : $('filters').elements[key];
        if (control.type === 'checkbox') control.checked = Boolean(wanted[key]);
        else if (control.value !== wanted[key]) control.value = wanted[key];
    }
    if (!before || FILTERS.some(key => before[key] !== wanted[key])) { filter(); before.scroll = 0; }
    const row = wanted.sheet && rows.find(each => each.name === wanted.sheet);
    if (!row) wanted.sheet = '';
    else if (!before.sheet) scrollBefore = scrollY;
    $('gallery').hidden = $('bar').hidden = Boolean(row);
    document.title = row ? `${row.name} – ${data.title}` : data.title;
    showLook();
    if (row && before.sheet !== wanted.sheet) openSheet(row);
    if (row) return;
    closeSheet();
    layTiles();
    if (before.sheet) {
        scrollTo(0, scrollBefore);
        const index = shown.findIndex(each => each.name === before.sheet);
        if (index >= 0) goTo(index);
    }
}

const cardSize = () => Math.min(Math.max(Number(wanted.size) || 160, 96), 384);

function showLook() {
    $('size').value = cardSize();
    press($('moving'), playsAll());
    playSeen();
}

function turnMoving() {
    remember({moving: playsAll() ? '0' : '1'});
    showLook();
}

let scrollBefore = 0;

/* -- One sheet ----------------------------------------------------------------------------------------------------- */

let opened = null;   // the row whose sheet is open
let loaded = null;   // that sheet
let minis = [], played = 0;

function closeSheet() {
    opened = loaded = sheet = clip = null;
    minis = [];
    Object.assign(state, {sheet: '', clip: ''});
    pictures.clear();
    $('sheet').hidden = true;
}

const pairs = items => make('dl', {}, ...items.flatMap(([key, value]) => [make('dt', {}, key), make('dd', {}, value)]));
const fold = (title, ...children) => make('details', {}, make('summary', {}, title), ...children);
const list = texts => make('ul', {}, ...texts.map(text => make('li', {}, make('bdi', {}, text))));
const FACTS = {model: 'Model', format: 'Format', triangles: 'Triangles', vertices: 'Vertices', joints: 'Joints', clips: 'Clips of the model',
    bounds: 'Bounds', materials: 'Materials', textures: 'Textures', texture_side: 'Longest side of a texture', missing_textures: 'Missing textures'};

function openSheet(row) {
    closeSheet();
    opened = row;
    const index = shown.indexOf(row), title = $('name');
    title.replaceChildren(make('bdi', {}, row.name));
    $('ways').replaceChildren(make('a', {href: fragment({sheet: '', play: '', pass: ''})}, '← All sheets'));
    for (const [text, to] of [['Previous', index - 1], ['Next', index + 1]])
        if (index >= 0 && shown[to]) $('ways').append(make('a', {href: fragment({sheet: shown[to].name, play: '', pass: ''}), rel: text === 'Next' ? 'next' : 'prev'}, text));
    $('notes').replaceChildren();
    $('view').hidden = true;
    $('sheet').hidden = false;
    scrollTo(0, 0);
    title.focus({preventScroll: true});
    if (row.absent) return $('notes').append(make('p', {className: 'note bad', role: 'alert'}, row.problem));
    if (row.stale) $('notes').append(make('p', {className: 'note', role: 'alert'}, `Not what 'render' would make now, or fails to make: ${row.stale}`));
    loadSheet(row, found => {
        if (opened !== row) return;
        if (!found || row.problem)
            $('notes').append(make('p', {className: 'note bad', role: 'alert'}, found ? row.problem : 'The data of this sheet are not there: make the gallery again.'));
        if (!found) return;
        loaded = found;
        most_pictures = Math.max(most_pictures, 2 * loaded.pages.length);
        played = 0;
        $('view').hidden = false;
        $('minis').replaceChildren(...makeMinis());
        $('about').replaceChildren(...aboutSheet());
        act({sheet: row.name, clip: wanted.play, pass: wanted.pass, frame: '', t: 0, play: !calm.matches, zoom: 0, x: 0, y: 0});
    });
}

/* Every clip and camera, playing by the same clock; those out of view are not drawn. */
function makeMinis() {
    const groups = new Map(), seen = new IntersectionObserver(entries => { for (const entry of entries) entry.target.mini.isSeen = entry.isIntersecting; });
    for (const each of loaded.clips) {
        const canvas = make('canvas', {className: 'checks', 'aria-hidden': 'true'}), text = make('bdi', {}, each.camera || each.name);
        setSize(canvas, 96, 96);
        const element = make('button', {type: 'button', title: each.name, 'aria-label': each.name, onclick: () => act({clip: each.name, frame: '', t: 0})}, canvas, text);
        element.mini = {clip: each, canvas, element, isSeen: false, drawn: null};
        minis.push(element.mini);
        seen.observe(element);
        if (!groups.has(each.animation)) groups.set(each.animation, make('div', {className: 'clips'}));
        groups.get(each.animation).append(element);
    }
    return [...groups].flatMap(([name, element]) => {
        const {frames, track, loop} = loaded.clips.find(each => each.animation === name);
        return [make('h2', {}, make('bdi', {}, name), make('span', {className: 'dim'}, `  ${count(frames.length, 'frame')}${track.end ? `, ${seconds(track.end)}` : ''}${loop ? ', loops' : ''}`)), element];
    });
}

function aboutSheet() {
    const row = opened, {facts} = row, known = Object.keys(FACTS).filter(key => facts[key]);
    const parts = [];
    if (row.missing) parts.push(make('p', {className: 'note bad'}, count(row.missing, 'missing texture')));
    parts.push(...findingNodes(row.findings));
    for (const warning of row.warnings) parts.push(make('p', {className: 'note'}, make('bdi', {}, warning)));
    const about = [['Cell', row.cell], ['Frames', row.frames.toLocaleString('en')], ['Cameras', [...new Set(loaded.clips.map(clip => clip.camera))].join(', ')],
        ['Passes', loaded.passes.join(', ')]];
    if (loaded.sockets.size) about.push(['Sockets', [...loaded.sockets].join(', ')]);
    parts.push(make('h2', {}, 'Sheet'), pairs(about));
    if (known.length) parts.push(make('h2', {}, 'Model'), pairs(known.map(key => [FACTS[key], facts[key]])));
    parts.push(make('h2', {}, count(loaded.files.length, 'file')), make('ul', {}, ...loaded.files.map(file => make('li', {},
        make('a', {href: addressOf(row, file.path)}, make('bdi', {}, file.path.slice(file.path.lastIndexOf('/') + 1))), make('span', {className: 'dim'}, ` ${size(file.bytes)}`)))));
    if (loaded.inputs.length) parts.push(fold(`Made of ${count(loaded.inputs.length, 'file')}`, list(loaded.inputs)));
    if (loaded.absent.length) parts.push(fold(`${count(loaded.absent.length, 'name')} looked for and not found`, list(loaded.absent)));
    if (Object.keys(loaded.settings).length) parts.push(fold('Settings', pairs(Object.entries(loaded.settings))));
    if (loaded.renderer) parts.push(fold('Drawn by', make('p', {}, loaded.renderer)));
    return parts;
}

const size = bytes => bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;

/* -- What the player asks (player.js) ------------------------------------------------------------------------------ */

const sheetOf = () => loaded;
const firstClipOf = of => of.clips.find(each => each.frames.some(frame => frame.name === of.row.still?.name));
const urlOf = src => src;
const describe = frame => `${Math.round(frame.after.duration)} ms`;
const keepFragment = () => remember({play: state.clip, pass: state.pass === 'color' ? '' : state.pass});

function cellOf(of, frame, side, pass) {
    const cell = side === 'after' && frame?.after, picture = cell && of.pages[cell.page].find(([name]) => name === pass);
    if (!picture) return null;
    const [x, y, w, h, ...cut] = cell.place;
    return {src: addressOf(of.row, picture[1]), x, y, w, h, cut};
}

function drawStage(context, view, before, after) {
    const whole = drawCell(context, view, after, 'after');
    drawMarks(context, view, after, 'after');
    return whole;
}

function noticeOf() {
    if (!clip) return 'No JSON says where the frames of this sheet are. With json in its metadata it would be shown here.';
    return hasPictures(clip) ? '' : 'There is no picture of this clip.';
}

function onSheet() {
    const canvas = $('one').querySelector('.base');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${sheet.name}, ${state.clip}`);
    for (const mini of minis) press(mini.element, mini.clip === clip);
}

const onPass = () => minis.forEach(mini => { mini.drawn = null; });
const onView = () => {};
const onFrame = frame => { $('one').firstChild.textContent = `Frame ${clip.frames.indexOf(frame)} of ${clip.frames.length}`; };

function onTick(now, passed) {
    playTiles(now);
    if (!clip) return;
    const at = clip.frames.indexOf(shownFrame());
    if (state.play) played += passed * state.speed;
    for (const mini of minis) {
        const frame = state.play ? frameOf(mini.clip, played) : mini.clip.frames[Math.min(at, mini.clip.frames.length - 1)];
        if (!mini.isSeen || frame === mini.drawn) continue;
        const cell = cellOf(sheet, frame, 'after', state.pass), picture = cell && pictureOf(cell.src);
        if (!picture?.is_ready) continue;
        drawTile(mini.canvas, picture.image, frame.after);
        mini.drawn = frame;
    }
}

/* -- Keys and events ----------------------------------------------------------------------------------------------- */

const GRID_KEYS = [
    [['/'], 'search', () => $('q').focus()],
    [['p'], 'play all cards, or only the one under the pointer', turnMoving],
    [['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'], 'go from sheet to sheet', goBy],
];
const SHEET_KEYS = [
    [['Escape'], 'all sheets', () => location.assign(fragment({sheet: '', play: '', pass: ''}))],
    [['j', 'ArrowDown'], 'next sheet', () => $('sheet').querySelector('a[rel=next]')?.click()],
    [['k', 'ArrowUp'], 'previous sheet', () => $('sheet').querySelector('a[rel=prev]')?.click()],
];

function goBy(key) {
    const lines = Math.max(1, Math.floor((innerHeight - $('bar').offsetHeight) / lineHeight));
    const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, PageUp: -columns * lines, PageDown: columns * lines,
        Home: -shown.length, End: shown.length};
    goTo(document.activeElement.closest('#tiles') ? focused + steps[key] : focused);
}

addEventListener('keydown', event => runKey(event, [...GENERAL_KEYS, ...!wanted.sheet ? GRID_KEYS : clip ? [...SHEET_KEYS, ...PLAYER_KEYS] : SHEET_KEYS]));

function setFilters(change) {
    remember(change);
    for (const key of Object.keys(change)) if (key === 'q' && $('q').value !== change.q) $('q').value = change.q;
    filter();
    if (scrollY > $('gallery').offsetTop) scrollTo(0, 0);
    layTiles();
}

$('filters').oninput = $('q').oninput = event => {
    const control = event.target;
    setFilters({[control.name]: control.type === 'checkbox' ? (control.checked ? '1' : '') : control.value});
};
$('filters').onsubmit = event => event.preventDefault();
$('clear').onclick = () => { remember(Object.fromEntries(FILTERS.map(key => [key, '']))); readFragment(); filter(); layTiles(); };
$('moving').onclick = turnMoving;
$('size').oninput = event => { remember({size: event.target.value === '160' ? '' : event.target.value}); layTiles(); };
$('more').onclick = () => $('more').setAttribute('aria-expanded', $('more').getAttribute('aria-expanded') !== 'true');
addHelp(['', [...GRID_KEYS, ...GENERAL_KEYS]], ['In a sheet', [...SHEET_KEYS, ...PLAYER_KEYS]]);
$('tiles').addEventListener('focusin', event => {
    const tile = [...tiles.values()].find(each => each.link === event.target);
    if (!tile || tile.index === focused) return;
    if (tiles.has(focused)) tiles.get(focused).link.tabIndex = -1;
    focused = tile.index;
    tile.link.tabIndex = 0;
});
addEventListener('scroll', () => { scrolled = performance.now(); showTiles(); }, {passive: true});
addEventListener('resize', () => { if (!wanted.sheet) layTiles(); });
addEventListener('hashchange', readFragment);

const FEW = 24; // sheets that one sees at once: their filters fold away

/* A number, or null where it is not known. */
const number = text => /^\d+$/.test(text) ? Number(text) : null;

function start() {
    for (const row of rows) {
        const [width, height] = row.still?.size ?? [0, 0];
        Object.assign(row, {cell: `${width} × ${height}`, area: width * height, triangles: number(row.facts.triangles), missing: number(row.facts.missing_textures), broken: row.findings.some(each => each.level === 'failure'),
            text: `${row.name} ${row.facts.model ?? ''} ${row.animations.join(' ')}`.toLowerCase()});
    }
    $('title').textContent = $('title').title = data.title;
    const options = (name, values) => $('filters').elements[name].append(...[...new Set(values)].map(value => make('option', {value}, value)));
    options('clip', rows.flatMap(row => row.animations).sort());
    options('cell', rows.filter(row => row.frames).map(row => row.cell).sort((a, b) => parseInt(a) - parseInt(b)));
    options('rule', rows.flatMap(row => row.findings.map(each => each.rule)).sort());
    $('two').hidden = true;
    startPlayer();
    readFragment();
    $('bar').classList.toggle('few', rows.length < FEW);
    $('more').setAttribute('aria-expanded', FILTERS.slice(1).some(key => wanted[key]));
    filter();
    layTiles();
}

start();
