/* The gallery. `data` has a row for each sheet; sheets/ID.js, loaded when a sheet is first played or opened, has its frames:
 * a script, because a page from file:// may not read other files, which calls `addSheet`. src/review/gallery.c writes them
 * and names their fields. Text from files goes into text nodes alone. */
const data = JSON.parse($('data').textContent), rows = data.sheets;
let shown = [];
let state = {};                  // what the fragment says

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

/* Draws a cell into the middle of a canvas, as large as fits or `zoom` times; returns its place in pixels of the canvas. */
function drawCell(canvas, picture, frame, zoom = 0) {
    const {width, height} = canvas, context = canvas.getContext('2d');
    let scale = zoom ? zoom * devicePixelRatio : Math.min(width / frame.size[0], height / frame.size[1]);
    if (!zoom && scale > 1) scale = Math.min(Math.floor(scale), 8 * devicePixelRatio);
    const left = Math.floor((width - frame.size[0] * scale) / 2), top = Math.floor((height - frame.size[1] * scale) / 2);
    const [x, y, w, h, cut_x, cut_y] = frame.place;
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = scale < 1;
    context.imageSmoothingQuality = 'high';
    if (picture)
        context.drawImage(picture, x, y, w, h, left + cut_x * scale, top + cut_y * scale, w * scale, h * scale);
    return {left, top, scale};
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
    loaded.passes = [...new Set(loaded.pages.flatMap(page => page.map(([name]) => name)))];
    loaded.sockets = new Set(loaded.clips.flatMap(clip => clip.frames.flatMap(frame => Object.keys(frame.sockets))));
    for (const clip of loaded.clips) {
        let end = 0;
        clip.ends = clip.frames.map(frame => end += frame.duration);
        clip.total = end;
        const cut = clip.name.lastIndexOf('/');
        clip.animation = cut < 0 ? clip.name : clip.name.slice(0, cut);
        clip.camera = cut < 0 ? '' : clip.name.slice(cut + 1);
    }
    sheets.set(id, loaded);
    if (sheets.size > MOST_SHEETS) sheets.delete(sheets.keys().next().value);
    (asked.get(id) ?? []).forEach(done => done(loaded));
    asked.delete(id);
}

/* The frame at a time; one that does not loop rests at its end for a while. */
function frameAt(clip, ms) {
    if (!clip.total) return 0;
    const time = ms % (clip.total + (clip.loop ? 0 : 700));
    const at = clip.ends.findIndex(end => end > time);
    return at < 0 ? clip.ends.length - 1 : at;
}

/* No name starts a scheme, a query or a fragment; bytes that are not UTF-8 come as characters from U+EF80 on. */
const urlOf = (row, path) => (data.folders[row.folder] + path).replace(/[^/]/gu,
    c => c >= '\uef80' && c <= '\uefff' ? `%${(c.charCodeAt(0) & 255).toString(16)}` : encodeURIComponent(c));

/* -- The tiles ----------------------------------------------------------------------------------------------------- */

const GAP = 12, CAPTION = 70;
const tiles = new Map();     // by index in `shown`: those in view, and the one with the focus
let columns = 1, side = 160, lineHeight = 0, current = 0;
let scrolled = -1000;        // when
let playing = null;          // the tile under the pointer or with the focus

function makeTile(index) {
    const row = shown[index], cut = row.name.lastIndexOf('/');
    const canvas = make('canvas', {className: 'checks', 'aria-hidden': 'true'});
    canvas.style.height = `${side}px`;
    setSize(canvas, side, side);
    const facts = make('small', {}, row.problem ? 'cannot be read' : count(row.frames, 'frame'));
    if (row.triangles !== null) facts.append(` · ${count(row.triangles, 'tri')}`);
    const marks = make('span', {className: 'marks'});
    if (row.problem) marks.append(make('span', {className: 'mark bad'}, 'damaged'));
    if (row.missing) marks.append(make('span', {className: 'mark bad'}, count(row.missing, 'missing texture')));
    if (row.warnings.length) marks.append(make('span', {className: 'mark'}, count(row.warnings.length, 'warning')));
    const link = make('a', {href: fragment({sheet: row.name}), title: row.name, tabIndex: index === current ? 0 : -1}, canvas,
        make('b', {}, make('bdi', {}, row.name.slice(cut + 1))),
        facts, make('small', {}, make('bdi', {}, row.name.slice(0, Math.max(0, cut)))), marks);
    const item = make('li', {'aria-setsize': shown.length, 'aria-posinset': index + 1}, link);
    const tile = {index, row, item, link, canvas};
    item.style.transform = `translate(${(index % columns) * (side + GAP)}px, ${Math.floor(index / columns) * lineHeight}px)`;
    item.style.width = `${side}px`;
    item.style.height = `${side + CAPTION}px`;
    link.onpointerenter = link.onfocus = () => play(tile);
    link.onpointerleave = () => stop(tile);
    link.onblur = () => stop(tile);
    tiles.set(index, tile);
    if (performance.now() - scrolled > 200) drawStill(tile);
    else setTimeout(() => tiles.get(index) === tile && drawStill(tile), 100); /* not what only flies past */
    return tile;
}

function drawStill(tile) {
    const frame = tile.row.still, [x, y, w, h, ...cut] = frame?.place ?? [];
    if (frame && tile.row.picture)
        loadPicture(urlOf(tile.row, tile.row.picture), () => tiles.get(tile.index) === tile && playing !== tile, picture => {
            if (!picture) markTile(tile, 'damaged picture');
            else if (tile.canvas.width && playing !== tile) drawCell(tile.canvas, picture, {...frame, place: [0, 0, w, h, ...cut]});
            drop(picture);
        }, x, y, w, h);
}

function markTile(tile, text) {
    if (!tile.link.textContent.includes(text)) tile.link.querySelector('.marks').append(make('span', {className: 'mark bad'}, text));
}

function removeTile(tile) {
    if (playing === tile) playing = null;
    tiles.delete(tile.index);
    tile.item.remove();
    tile.canvas.width = tile.canvas.height = 0;
}

/* The one that its tile shows. */
const firstClip = (row, loaded) => loaded.clips.find(clip => clip.frames.some(frame => frame.name === row.still.name)) ?? loaded.clips[0];

function play(tile) {
    if (playing) stop(playing);
    if (calm.matches || !tile.row.picture) return;
    playing = tile;
    loadSheet(tile.row, loaded => {
        if (playing !== tile || !loaded) return;
        const clip = firstClip(tile.row, loaded), pictures = new Map();
        for (const page of new Set(clip.frames.map(frame => frame.page)))
            loadPicture(urlOf(tile.row, loaded.pages[page][0][1]), () => playing === tile, picture => pictures.set(page, picture));
        const start = performance.now();
        const step = now => {
            if (playing !== tile) return pictures.forEach(drop);
            const frame = clip.frames[frameAt(clip, Math.max(0, now - start))];
            if (pictures.get(frame.page)) drawCell(tile.canvas, pictures.get(frame.page), frame);
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    });
}

function stop(tile) {
    if (playing !== tile) return;
    playing = null;
    drawStill(tile);
}

/* Puts the tiles in view into the list, in order, and takes the others out. */
function showTiles() {
    if (state.sheet || !lineHeight) return;
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
}

function layTiles() {
    for (const tile of [...tiles.values()]) removeTile(tile);
    const width = $('tiles').clientWidth;
    columns = Math.max(1, Math.floor((width + GAP) / (Math.min(160, width / 2 - GAP) + GAP)));
    side = Math.floor((width + GAP) / columns - GAP);
    lineHeight = side + CAPTION + GAP;
    $('tiles').style.height = `${Math.ceil(shown.length / columns) * lineHeight}px`;
    showTiles();
}

function goTo(index) {
    index = Math.max(0, Math.min(shown.length - 1, index));
    const bar = $('bar').offsetHeight, top = $('tiles').offsetTop + Math.floor(index / columns) * lineHeight;
    if (tiles.has(current)) tiles.get(current).link.tabIndex = -1;
    current = index;
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
    const words = (state.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const least = Number(state.least || 0), most = state.most ? Number(state.most) : Infinity;
    shown = rows.filter(row => words.every(word => row.text.includes(word)) && (!state.clip || row.animations.includes(state.clip)) &&
        (!state.cell || row.cell === state.cell) && (!state.warnings || row.warnings.length || row.problem) &&
        (!state.missing || row.missing) && (!(state.least || state.most) || row.triangles !== null && row.triangles >= least && row.triangles <= most));
    if (ORDERS[state.sort]) shown.sort(ORDERS[state.sort]);
    current = 0;
    $('count').textContent = shown.length === rows.length ? count(rows.length, 'sheet') : `${shown.length.toLocaleString('en')} of ${count(rows.length, 'sheet')}`;
    $('none').hidden = shown.length > 0;
    $('tiles').hidden = !shown.length;
}

/* -- The fragment -------------------------------------------------------------------------------------------------- */

const KEYS = ['q', 'clip', 'cell', 'least', 'most', 'warnings', 'missing', 'sort', 'sheet', 'play', 'pass'];
const FILTERS = KEYS.slice(0, 8);

function fragment(change) {
    const all = {...state, ...change}, params = new URLSearchParams();
    for (const key of KEYS) if (all[key]) params.set(key, all[key]);
    return `#${params}`;
}

const remember = change => { history.replaceState(null, '', fragment(change)); Object.assign(state, change); };

function readFragment() {
    const before = state, params = new URLSearchParams(location.hash.slice(1));
    state = Object.fromEntries(KEYS.map(key => [key, params.get(key) ?? '']));
    for (const key of FILTERS) {
        const control = key === 'q' ? $('q') : $('filters').elements[key];
        if (control.type === 'checkbox') control.checked = Boolean(state[key]);
        else if (control.value !== state[key]) control.value = state[key];
    }
    if (!before || FILTERS.some(key => before[key] !== state[key])) { filter(); before.scroll = 0; }
    const row = state.sheet && rows.find(each => each.name === state.sheet);
    if (!row) state.sheet = '';
    else if (!before.sheet) scrollBefore = scrollY;
    $('gallery').hidden = $('bar').hidden = Boolean(row);
    $('sheet').hidden = !row;
    document.title = row ? `${row.name} – ${data.title}` : data.title;
    if (playing) stop(playing);
    if (row && before.sheet !== state.sheet) openSheet(row);
    if (row) return;
    closeSheet();
    layTiles();
    if (before.sheet) {
        scrollTo(0, scrollBefore);
        const index = shown.findIndex(each => each.name === before.sheet);
        if (index >= 0) goTo(index);
    }
}

let scrollBefore = 0;

/* -- One sheet ----------------------------------------------------------------------------------------------------- */

let view = null;     // the sheet that is open: its row, data, clip, frame, pass, ...
const BACKGROUNDS = ['checks', 'black', 'white'], ZOOMS = [0, 1, 2, 4];

function closeSheet() {
    view?.pictures.forEach(drop);
    view = null;
    $('sheet').replaceChildren();
}

const button = (text, action, props = {}) => make('button', {type: 'button', onclick: action, ...props}, text);
const pairs = items => make('dl', {}, ...items.flatMap(([key, value]) => [make('dt', {}, key), make('dd', {}, value)]));
const fold = (title, ...children) => make('details', {}, make('summary', {}, title), ...children);
const list = texts => make('ul', {}, ...texts.map(text => make('li', {}, make('bdi', {}, text))));
const FACTS = {model: 'Model', format: 'Format', triangles: 'Triangles', vertices: 'Vertices', joints: 'Joints', clips: 'Clips of the model',
    bounds: 'Bounds', textures: 'Textures', missing_textures: 'Missing textures'};

function openSheet(row) {
    closeSheet();
    const opened = view = {row, sheet: null, clip: null, frame: 0, time: 0, pass: 'color', background: 0, zoom: 0, pivot: false, sockets: false, border: false,
        isPlaying: !calm.matches, pictures: new Map(), minis: []};
    const index = shown.indexOf(row), title = make('h1', {tabIndex: -1}, make('bdi', {}, row.name));
    const nav = make('nav', {'aria-label': 'Sheets'}, make('a', {href: fragment({sheet: '', play: '', pass: ''})}, '← All sheets'));
    for (const [text, to] of [['Previous', index - 1], ['Next', index + 1]])
        if (index >= 0 && shown[to]) nav.append(make('a', {href: fragment({sheet: shown[to].name, play: '', pass: ''}), rel: text === 'Next' ? 'next' : 'prev'}, text));
    $('sheet').append(nav, title);
    scrollTo(0, 0);
    title.focus({preventScroll: true});
    loadSheet(row, loaded => {
        if (view !== opened) return;
        if (!loaded || row.problem)
            $('sheet').append(make('p', {className: 'note bad', role: 'alert'}, loaded ? row.problem : 'The data of this sheet are not there: make the gallery again.'));
        if (!loaded) return;
        view.sheet = loaded;
        const main = make('section', {'aria-label': 'Player'}), body = make('div', {className: 'view'}, main, describe(row, loaded));
        $('sheet').append(body);
        if (!loaded.clips.length && !row.problem) main.append(make('p', {className: 'note'}, 'No JSON says where the frames of this sheet are. With json in its metadata it would be shown here.'));
        if (!loaded.clips.length) return;
        main.append(...makePlayer(loaded), ...makeClips(loaded));
        choosePass(loaded.passes.includes(state.pass) ? state.pass : loaded.passes[0]);
        chooseClip(loaded.clips.find(clip => clip.name === state.play) ?? firstClip(row, loaded));
        requestAnimationFrame(now => { view && (view.last = now); tick(now); });
    });
}

function makePlayer(loaded) {
    view.canvas = make('canvas', {role: 'img'});
    view.stage = make('div', {id: 'stage', className: 'checks', tabIndex: 0, role: 'region', 'aria-label': 'Picture'}, view.canvas);
    view.slider = make('input', {type: 'range', min: 0, value: 0, 'aria-label': 'Frame', oninput: () => { setPlaying(false); view.frame = Number(view.slider.value); draw(); }});
    view.says = make('output');
    view.toggle = button('', () => setPlaying(!view.isPlaying));
    const passes = loaded.passes.map(pass => button(pass, () => choosePass(pass)));
    view.passButtons = new Map(loaded.passes.map((pass, i) => [pass, passes[i]]));
    const flag = (text, key) => {
        const element = button(text, () => { view[key] = !view[key]; press(element, view[key]); draw(); }, {'aria-pressed': 'false'});
        return view[`${key}Button`] = element;
    };
    const choice = (label, names, key) => view[`${key}Select`] = make('select', {'aria-label': label, onchange: event => { view[key] = event.target.selectedIndex; fit(); }},
        ...names.map(name => make('option', {}, name)));
    new ResizeObserver(() => view && fit()).observe(view.stage);
    const rest = [view.stage,
        make('div', {className: 'controls', hidden: loaded.clips.every(({frames}) => frames.length < 2)}, button('◀', () => step(-1), {'aria-label': 'Frame before'}), view.toggle,
            button('▶', () => step(1), {'aria-label': 'Next frame'}), view.slider, view.says),
        make('div', {className: 'controls'}, choice('Zoom', ['fit', '1 ×', '2 ×', '4 ×'], 'zoom'), choice('Behind the picture', ['checker', 'black', 'white'], 'background'),
            flag('Pivot', 'pivot'), flag('Border', 'border'), flag('Sockets', 'sockets'))];
    view.socketsButton.disabled = !loaded.sockets.size;
    if (passes.length > 1) rest.splice(1, 0, make('div', {className: 'controls', role: 'group', 'aria-label': 'Passes'}, ...passes));
    return rest;
}

/* Every clip and camera, playing by the same clock; those out of view are not drawn. */
function makeClips(loaded) {
    const groups = new Map(), seen = new IntersectionObserver(entries => { for (const entry of entries) entry.target.mini.isSeen = entry.isIntersecting; });
    for (const clip of loaded.clips) {
        const canvas = make('canvas', {className: 'checks', 'aria-hidden': 'true'});
        setSize(canvas, 96, 96);
        const element = button('', () => chooseClip(clip), {'aria-label': clip.name, 'aria-pressed': 'false', title: clip.name});
        element.append(canvas, make('bdi', {}, clip.camera || clip.name));
        element.mini = {clip, canvas, element, isSeen: false, drawn: -1};
        view.minis.push(element.mini);
        seen.observe(element);
        if (!groups.has(clip.animation)) groups.set(clip.animation, make('div', {className: 'clips'}));
        groups.get(clip.animation).append(element);
    }
    return [...groups].flatMap(([name, element]) => {
        const clip = loaded.clips.find(each => each.animation === name);
        return [make('h2', {}, make('bdi', {}, name), make('span', {className: 'dim'}, `  ${count(clip.frames.length, 'frame')}${clip.total ? `, ${(clip.total / 1000).toFixed(2)} s` : ''}${clip.loop ? ', loops' : ''}`)), element];
    });
}

function describe(row, loaded) {
    const {facts} = row, known = Object.keys(FACTS).filter(key => facts[key]);
    const side = make('aside', {'aria-label': 'About the sheet'});
    if (row.missing) side.append(make('p', {className: 'note bad'}, count(row.missing, 'missing texture')));
    for (const warning of row.warnings) side.append(make('p', {className: 'note'}, make('bdi', {}, warning)));
    const about = [['Cell', row.cell], ['Frames', row.frames.toLocaleString('en')], ['Cameras', [...new Set(loaded.clips.map(clip => clip.camera))].join(', ')],
        ['Passes', loaded.passes.join(', ')]];
    if (loaded.sockets.size) about.push(['Sockets', [...loaded.sockets].join(', ')]);
    side.append(make('h2', {}, 'Sheet'), pairs(about));
    if (known.length) side.append(make('h2', {}, 'Model'), pairs(known.map(key => [FACTS[key], facts[key]])));
    side.append(make('h2', {}, count(loaded.files.length, 'file')), make('ul', {}, ...loaded.files.map(file => make('li', {},
        make('a', {href: urlOf(row, file.path)}, make('bdi', {}, file.path.slice(file.path.lastIndexOf('/') + 1))), make('span', {className: 'dim'}, ` ${size(file.bytes)}`)))));
    if (loaded.inputs.length) side.append(fold(`Made of ${count(loaded.inputs.length, 'file')}`, list(loaded.inputs)));
    if (loaded.absent.length) side.append(fold(`${count(loaded.absent.length, 'name')} looked for and not found`, list(loaded.absent)));
    if (Object.keys(loaded.settings).length) side.append(fold('Settings', pairs(Object.entries(loaded.settings))));
    if (loaded.renderer) side.append(fold('Drawn by', make('p', {}, loaded.renderer)));
    return side;
}

const size = bytes => bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;

function chooseClip(clip) {
    view.clip = clip;
    view.frame = 0;
    view.time = 0;
    view.slider.max = clip.frames.length - 1;
    for (const mini of view.minis) press(mini.element, mini.clip === clip);
    if (state.play !== clip.name) remember({play: clip.name});
    setPlaying(view.isPlaying);
    fit();
}

function choosePass(pass) {
    view.pass = pass;
    view.pictures.forEach(drop);
    view.pictures.clear();
    for (const [name, element] of view.passButtons) press(element, name === pass);
    if ((state.pass || 'color') !== pass) remember({pass});
    draw();
}

function setPlaying(is) {
    view.isPlaying = is && view.clip.total > 0;
    view.toggle.textContent = view.isPlaying ? 'Pause' : 'Play';
    view.toggle.disabled = !view.clip.total;
    view.time = view.frame ? view.clip.ends[view.frame - 1] : 0;
}

function step(by) {
    setPlaying(false);
    view.frame = (view.frame + by + view.clip.frames.length) % view.clip.frames.length;
    draw();
}

/* The picture of a page in the pass that is shown: null while it comes, or where there is none. */
function pictureOf(page) {
    const opened = view, pass = view.pass;
    if (!view.pictures.has(page)) {
        view.pictures.set(page, null);
        const entry = view.sheet.pages[page].find(([name]) => name === pass);
        if (entry)
            loadPicture(urlOf(view.row, entry[1]), () => view === opened && view.pass === pass, picture => {
                if (view !== opened || view.pass !== pass) return drop(picture);
                view.pictures.set(page, picture);
                for (const mini of view.minis) mini.drawn = -1;
                draw();
            });
    }
    return view.pictures.get(page);
}

function fit() {
    if (!view.clip) return;
    const frame = view.clip.frames[0], zoom = ZOOMS[view.zoom];
    view.stage.className = BACKGROUNDS[view.background];
    const width = Math.max(view.stage.clientWidth, frame.size[0] * zoom), height = Math.max(view.stage.clientHeight, frame.size[1] * zoom);
    view.canvas.style.width = `${width}px`;
    view.canvas.style.height = `${height}px`;
    setSize(view.canvas, width, height);
    draw();
}

function draw() {
    if (!view?.clip) return;
    const {clip, canvas} = view, frame = clip.frames[view.frame], place = drawCell(canvas, pictureOf(frame.page), frame, ZOOMS[view.zoom]);
    const context = canvas.getContext('2d'), at = (x, y) => [place.left + x * place.scale, place.top + y * place.scale];
    if (view.border) drawBorder(context, ...at(0, 0), frame.size[0] * place.scale, frame.size[1] * place.scale);
    if (view.pivot) drawPivot(context, ...at(frame.pivot[0] * frame.size[0], frame.pivot[1] * frame.size[1]));
    if (view.sockets) for (const [name, [x, y]] of Object.entries(frame.sockets)) drawSocket(context, ...at(x, y), name);
    view.slider.value = view.frame;
    const start = view.frame ? clip.ends[view.frame - 1] : 0;
    view.slider.setAttribute('aria-valuetext', `frame ${view.frame + 1} of ${clip.frames.length}`);
    view.says.textContent = `${view.frame + 1} / ${clip.frames.length}, ${Math.round(start)} ms`;
    canvas.setAttribute('aria-label', `${view.row.name}, ${clip.name}`);
}

function tick(now) {
    if (!view?.clip) return;
    if (view.isPlaying) view.time += Math.max(0, now - view.last);
    view.last = now;
    const frame = view.isPlaying ? frameAt(view.clip, view.time) : view.frame;
    if (frame !== view.frame) { view.frame = frame; draw(); }
    for (const mini of view.minis) {
        if (!mini.isSeen) continue;
        const of = view.isPlaying ? frameAt(mini.clip, view.time) : Math.min(view.frame, mini.clip.frames.length - 1);
        const picture = pictureOf(mini.clip.frames[of].page);
        if (of === mini.drawn || !picture) continue;
        drawCell(mini.canvas, picture, mini.clip.frames[of]);
        mini.drawn = of;
    }
    requestAnimationFrame(tick);
}

/* -- Keys and events ----------------------------------------------------------------------------------------------- */

const GRID_KEYS = [
    [['/'], 'search', () => $('q').focus()],
    [['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'], 'go from sheet to sheet', goBy],
];
const SHEET_KEYS = [
    [['Escape'], 'all sheets', () => location.assign(fragment({sheet: '', play: '', pass: ''}))],
    [['j', 'ArrowDown'], 'next sheet', () => $('sheet').querySelector('a[rel=next]')?.click()],
    [['k', 'ArrowUp'], 'previous sheet', () => $('sheet').querySelector('a[rel=prev]')?.click()],
];
const PLAYER_KEYS = [
    [['Space'], 'play or pause', () => view.toggle.click()],
    [['ArrowLeft'], 'previous frame', () => step(-1)],
    [['ArrowRight'], 'next frame', () => step(1)],
    [['[', ']'], 'previous, next pass', key => choosePass(beside(view.sheet.passes, view.pass, key === ']' ? 1 : -1))],
    [[',', '.'], 'previous, next clip', key => chooseClip(beside(view.sheet.clips, view.clip, key === '.' ? 1 : -1))],
    [['+', '='], 'zoom in', () => pick('zoom', Math.min(view.zoom + 1, ZOOMS.length - 1))],
    [['-'], 'zoom out', () => pick('zoom', Math.max(view.zoom - 1, 0))],
    [['0'], 'fit', () => pick('zoom', 0)],
    [['g'], 'ground: checker, black, white', () => pick('background', (view.background + 1) % BACKGROUNDS.length)],
    [['v'], 'pivot', () => view.pivotButton.click()],
    [['b'], 'border of the cell', () => view.borderButton.click()],
    [['s'], 'sockets', () => view.socketsButton.click()],
];

function pick(key, index) {
    view[key] = view[`${key}Select`].selectedIndex = index;
    fit();
}

function goBy(key) {
    const lines = Math.max(1, Math.floor((innerHeight - $('bar').offsetHeight) / lineHeight));
    const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, PageUp: -columns * lines, PageDown: columns * lines,
        Home: -shown.length, End: shown.length};
    goTo(document.activeElement.closest('#tiles') ? current + steps[key] : current);
}

addEventListener('keydown', event => runKey(event, [...GENERAL_KEYS, ...!state.sheet ? GRID_KEYS : view?.clip ? [...SHEET_KEYS, ...PLAYER_KEYS] : SHEET_KEYS]));

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
$('more').onclick = () => $('more').setAttribute('aria-expanded', $('more').getAttribute('aria-expanded') !== 'true');
addHelp(['', [...GRID_KEYS, ...GENERAL_KEYS]], ['In a sheet', [...SHEET_KEYS, ...PLAYER_KEYS]]);
$('tiles').addEventListener('focusin', event => {
    const tile = [...tiles.values()].find(each => each.link === event.target);
    if (!tile || tile.index === current) return;
    if (tiles.has(current)) tiles.get(current).link.tabIndex = -1;
    current = tile.index;
    tile.link.tabIndex = 0;
});
addEventListener('scroll', () => { scrolled = performance.now(); showTiles(); }, {passive: true});
addEventListener('resize', () => { if (!state.sheet) layTiles(); });
addEventListener('hashchange', readFragment);

/* A number, or null where it is not known. */
const number = text => /^\d+$/.test(text) ? Number(text) : null;

function start() {
    for (const row of rows) {
        const [width, height] = row.still?.size ?? [0, 0];
        Object.assign(row, {cell: `${width} × ${height}`, area: width * height, triangles: number(row.facts.triangles), missing: number(row.facts.missing_textures),
            text: `${row.name} ${row.facts.model ?? ''} ${row.animations.join(' ')}`.toLowerCase()});
    }
    $('title').textContent = $('title').title = data.title;
    const options = (name, values) => $('filters').elements[name].append(...[...new Set(values)].map(value => make('option', {value}, value)));
    options('clip', rows.flatMap(row => row.animations).sort());
    options('cell', rows.filter(row => row.frames).map(row => row.cell).sort((a, b) => parseInt(a) - parseInt(b)));
    readFragment();
    filter();
    layTiles();
}

start();
