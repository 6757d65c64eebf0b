/* node read.mjs MODULES SHEETS: reads the files of each exporter and compares each frame with the JSON beside it. Readers:
 *
 *     libgdx         spine-core's TextureAtlas, Spine's own
 *     love           fengari, a Lua 5.3
 *     cocos          plist of npm; points and rectangles by the expressions of Cocos2d-html5 (CCSpriteFrameCache.js)
 *     texturepacker  JSON.parse, and in tests/browser Phaser
 *     tiled          fast-xml-parser, and Tiled's rules of attributes, below
 *     unity          the rules of TexturePacker's importer, below
 *     gzdoom         the grammar of TEXTURES, below
 */
import {readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';

const [modules, sheets] = process.argv.slice(2).map(path => resolve(path));
const library = createRequire(join(modules, 'x.js'));
const read = file => readFileSync(join(sheets, file), 'utf8');

const problems = [];
let checks = 0;
function same(found, wanted, text) {
    checks++;
    if (JSON.stringify(found) !== JSON.stringify(wanted))
        problems.push(`${text}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}
const near = (found, wanted, text, tolerance = 0.0011) => same(
    found.map((number, i) => Math.abs(number - wanted[i]) <= tolerance ? wanted[i] : number), wanted, text);

/* What the JSON says: by page, its frames in the order of the job. */
function pagesOf(name) {
    const files = readdirSync(sheets).filter(file => file.endsWith('.json') && !file.includes('.texturepacker.'));
    const numbers = files.map(file => file === `${name}.json` ? 0 : file.startsWith(`${name}@`) ? +file.slice(name.length + 1, -5) : -1);
    return numbers.filter(number => number >= 0).sort((a, b) => a - b).map(number => {
        const base = number ? `${name}@${number}` : name, {frames, meta} = JSON.parse(read(`${base}.json`));
        return {base, image: meta.image, size: [meta.size.w, meta.size.h], own: meta.sheetbake.animations, meta,
            frames: Object.entries(frames).map(([key, {frame, anchor, duration, spriteSourceSize, sourceSize}]) => {
                const {x, y, w, h} = frame, cell = [sourceSize.w, sourceSize.h], trim = [spriteSourceSize.x, spriteSourceSize.y];
                const clip = key.slice(name.length + 1, key.lastIndexOf('/')), index = +key.slice(key.lastIndexOf('/') + 1);
                return {name: key, clip, index, rect: [x, y, w, h], cell, trim, duration, image: meta.image,
                    anchor: [anchor.x, anchor.y], pivot: [anchor.x * cell[0], anchor.y * cell[1]]};
            })};
    });
}
const byName = frames => Object.fromEntries(frames.map(frame => [frame.name, frame]));
const origin = ({pivot, trim}) => pivot.map((value, i) => value - trim[i]);
/* A half may be rounded either way: the pivot is not exactly the one of the JSON. */
const whole = (found, wanted, text) => near(found, wanted, text, 0.501);

const readers = {
    texturepacker({base, image, size, frames}) {
        const wanted = byName(frames), {frames: found, meta} = JSON.parse(read(`${base}.texturepacker.json`));
        same([meta.image, meta.size.w, meta.size.h], [image, ...size], `${base}: meta`);
        same(found.map(({filename}) => filename).sort(), Object.keys(wanted).sort(), `${base}: names`);
        for (const {filename, frame, trimmed, rotated, spriteSourceSize, sourceSize, pivot} of found) {
            const {rect, trim, cell, anchor} = wanted[filename];
            same([frame.x, frame.y, frame.w, frame.h], rect, filename);
            same([trimmed, rotated], [rect[2] < cell[0] || rect[3] < cell[1], false], filename);
            same([spriteSourceSize.x, spriteSourceSize.y, spriteSourceSize.w, spriteSourceSize.h, sourceSize.w, sourceSize.h], [...trim, rect[2], rect[3], ...cell], filename);
            near([pivot.x, pivot.y], anchor, filename, 1e-6);
        }
    },
    unity({base, image, size, frames, meta}) {
        /* Importer 40300: lines of ':' are settings, those of '#' comments; a frame is split at ';', then its name is unescaped. */
        const unescape = name => name.replaceAll('%23', '#').replaceAll('%3A', ':').replaceAll('%3B', ';').replaceAll('%25', '%');
        const lines = read(`${base}.tpsheet`).trimEnd().split('\n').filter(line => line && !line.startsWith('#'));
        const settings = lines.filter(line => line.startsWith(':')), wanted = byName(frames);
        const normal = meta.sheetbake.passes?.normal;
        same(settings, [':format=40300', `:texture=${image}`, `:size=${size.join('x')}`, ...(normal ? [`:normalmap=${normal}`] : []),
            ':pivotpoints=enabled', ':borders=disabled'], `${base}: settings`);
        const rows = lines.slice(settings.length).map(line => line.split(';'));
        same(rows.map(([name]) => unescape(name)).sort(), Object.keys(wanted).sort(), `${base}: names`);
        for (const row of rows) {
            const frame = wanted[unescape(row[0])], [x, y, w, h] = frame.rect, at = origin(frame);
            same(row.length, 11, row[0]);
            same(row.slice(1, 5).map(Number), [x, size[1] - y - h, w, h], row[0]);
            near(row.slice(5, 7).map(Number), [at[0] / w, 1 - at[1] / h], row[0]);
            same(row.slice(7).map(Number), [0, 0, 0, 0], row[0]);
        }
    },
    cocos({base, image, size, frames}) {
        const {frames: found, metadata} = library('plist').parse(read(`${base}.plist`)), wanted = byName(frames);
        const number = '\\s*(-?\\d+[.]?\\d*)\\s*', pair = `\\s*\\{${number},${number}\\}\\s*`;
        const numbers = (text, pattern) => (text.match(new RegExp(`^${pattern}$`)) ?? []).slice(1).map(Number);
        same([metadata.format, metadata.realTextureFileName, ...numbers(metadata.size, pair)], [3, image, ...size], `${base}: metadata`);
        same(Object.keys(found).sort(), Object.keys(wanted).sort(), `${base}: names`);
        for (const [name, {textureRect, spriteOffset, spriteSize, spriteSourceSize, textureRotated, anchor}] of Object.entries(found)) {
            const {rect, trim, cell, anchor: pivot} = wanted[name];
            same(numbers(textureRect, `\\{${pair},${pair}\\}`), rect, name);
            same([numbers(spriteSize, pair), numbers(spriteSourceSize, pair), textureRotated], [rect.slice(2), cell, false], name);
            /* From the middle of the cell to that of the frame, Y up. */
            same(numbers(spriteOffset, pair), [trim[0] + rect[2] / 2 - cell[0] / 2, cell[1] / 2 - trim[1] - rect[3] / 2], name);
            near(numbers(anchor, pair), [pivot[0], 1 - pivot[1]], name, 1e-5);
        }
    },
    tiled({base, image, size, frames, own}, name) {
        const {XMLParser, XMLValidator} = library('fast-xml-parser'), text = read(`${base}.tsx`), wanted = byName(frames);
        same(XMLValidator.validate(text), true, `${base}.tsx`);
        const parser = new XMLParser({ignoreAttributes: false, attributeNamePrefix: '', parseAttributeValue: false, isArray: tag => tag === 'tile' || tag === 'frame'});
        const {tileset} = parser.parse(text), clips = new Map();
        same([tileset.name, +tileset.tilecount, tileset.columns], [name, frames.length, '0'], `${base}: tileset`);
        tileset.tile.forEach((tile, i) => {
            const list = clips.get(tile.type) ?? [];
            clips.set(tile.type, [...list, tile]);
            same([+tile.id, tile.image.source, +tile.image.width, +tile.image.height], [i, image, ...size], `${base}: tile ${i}`);
        });
        for (const [clip, tiles] of clips) {
            const all = frames.filter(frame => frame.clip === clip).sort((a, b) => a.index - b.index);
            same(tiles.map(({x, y, width, height}) => [+x, +y, +width, +height]), all.map(({rect}) => rect), `${base}: ${clip}`);
            same(tiles[0].animation.frame.map(({tileid}) => tileid), tiles.map(({id}) => id), `${base}: ${clip}`);
            const ms = tiles[0].animation.frame.map(({duration}) => +duration);
            checks++;
            if (!ms.every((value, j) => value === Math.round(value) && Math.abs(value - all[j].duration) <= 1))
                problems.push(`${base}: ${clip}: lasts ${ms}`);
        }
        same([...clips.keys()].sort(), Object.keys(own).sort(), `${base}: clips`);
    },
};

/* Of a whole sheet. */
const sheetReaders = {
    libgdx(name, pages) {
        const {TextureAtlas} = library('@esotericsoftware/spine-core'), atlas = new TextureAtlas(read(`${name}.atlas`));
        const all = pages.flatMap(({frames}) => frames);
        same(atlas.pages.map(page => [page.name, page.width, page.height]), pages.map(({image, size}) => [image, ...size]), `${name}: pages`);
        same(atlas.regions.length, all.length, `${name}: regions`);
        for (const {clip, index, rect, cell, trim, image, pivot, duration, name: text} of all) {
            const found = atlas.regions.filter(region => region.name === clip && region.index === index);
            same(found.length, 1, text);
            const {page, x, y, width, height, offsetX, offsetY, originalWidth, originalHeight, degrees, names, values} = found[0];
            same([page.name, x, y, width, height, degrees], [image, ...rect, 0], text);
            same([offsetX, offsetY, originalWidth, originalHeight], [trim[0], cell[1] - trim[1] - rect[3], ...cell], text);
            same(names, ['pivot', 'duration'], text);
            whole(values[0], [pivot[0], cell[1] - pivot[1]], text);
            near(values[1], [duration], text, 1);
        }
    },
    love(name, pages) {
        const {lua, lauxlib, lualib, to_luastring, to_jsstring} = library('fengari'), L = lauxlib.luaL_newstate();
        lualib.luaL_openlibs(L);
        const failed = lauxlib.luaL_loadstring(L, to_luastring(`local sheet = (function() ${read(`${name}.lua`)} end)()
            local lines = {}
            local function add(...) lines[#lines + 1] = table.concat({...}, '\\t') end
            for _, page in ipairs(sheet.pages) do add('page', page.image, page.width, page.height) end
            for _, f in ipairs(sheet.frames) do add('frame', f.name, f.page, f.x, f.y, f.w, f.h, f.ox, f.oy, f.duration) end
            for clip, frames in pairs(sheet.clips) do add('clip', clip, tostring(frames.loop), table.unpack(frames)) end
            return table.concat(lines, '\\n')`)) || lua.lua_pcall(L, 0, 1, 0);
        const rows = to_jsstring(lua.lua_tostring(L, -1)).split('\n').map(line => line.split('\t'));
        same(failed, 0, `${name}.lua: ${rows[0]}`);
        const of = kind => rows.filter(([first]) => first === kind).map(row => row.slice(1));
        const all = byName(pages.flatMap(({frames}) => frames)), listed = of('frame');
        same(of('page'), pages.map(({image, size}) => [image, ...size.map(String)]), `${name}: pages`);
        same(listed.map(([text]) => text).sort(), Object.keys(all).sort(), `${name}: names`);
        for (const [text, page, ...numbers] of listed) {
            const frame = all[text];
            same(pages[page - 1].image, frame.image, text);
            near(numbers.map(Number), [...frame.rect, ...origin(frame), numbers[6]].map(Number), text);
        }
        for (const [clip, loop, ...places] of of('clip')) {
            same(loop, String(pages.find(({own}) => clip in own).own[clip].loop), clip);
            same(places.map(place => listed[place - 1][0]), Object.values(all).filter(frame => frame.clip === clip)
                .sort((a, b) => a.index - b.index).map(frame => frame.name), clip);
        }
    },
    gzdoom(name, pages) {
        const all = pages.flatMap(({frames}) => frames), wanted = byName(all), seen = new Set();
        const text = '"((?:[^"\\\\]|\\\\.)*)"', line = new RegExp(`^Sprite ${text}, (\\d+), (\\d+) \\{ XScale 1 YScale 1 Offset (-?\\d+), (-?\\d+) Patch ${text}, -(\\d+), -(\\d+) \\} // (.*)$`);
        for (const row of read(`${name}.textures`).trimEnd().split('\n').slice(1)) {
            const [, sprite, w, h, ox, oy, patch, x, y, frame] = row.match(line) ?? [];
            const {rect, clip, index, image} = wanted[frame] ?? {rect: []};
            same([x, y, w, h].map(Number), rect, `${name}: ${row}`);
            whole([ox, oy].map(Number), origin(wanted[frame]), `${name}: ${row}`);
            same(patch, `patches/${image}`, `${name}: ${row}`);
            const turn = clip.match(/d-(\d)$/), letter = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[index];
            same(sprite.slice(4), `${letter}${turn ? +turn[1] + 1 : 0}`, `${name}: ${row}`);
            same([sprite.length, sprite.slice(0, 3)], [6, (name.replace(/[^a-z0-9]/gi, '').toUpperCase() + '___').slice(0, 3)], name);
            seen.add(sprite);
        }
        same(seen.size, all.length, `${name}: sprites`);
    },
};

let good = true;
for (const name of ['plain', "it's 100% & more; #1", 'pages', 'one']) {
    const pages = pagesOf(name);
    same(pages.length > 1, name === 'pages', `${name}: pages`);
    for (const [format, reader] of [...Object.entries(readers), ...Object.entries(sheetReaders)]) {
        problems.length = checks = 0;
        try {
            format in readers ? pages.forEach(page => reader(page, name)) : reader(name, pages);
        } catch (error) {
            problems.push(error.stack);
        }
        good &&= problems.length === 0;
        console.log(`${problems.length ? 'FAILED' : 'ok'}  ${name}: ${format}: ${checks} checks`);
        problems.slice(0, 10).forEach(text => console.log(`    ${text}`));
    }
}
process.exit(good ? 0 : 1);
