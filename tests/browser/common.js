/* What the pages of the engines have in common: the cells as they should look, and the comparison with what an engine
 * drew. Sprites are drawn over an opaque colour, so that what a canvas does to straight alpha does not matter; rounding
 * leaves differences of a few levels, a wrong rectangle, origin or frame leaves a hundred. */

const BACKGROUND = [96, 128, 160];
const TOLERANCE = 3;

const loadImage = url => new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error(`cannot load ${url}`));
    image.src = url;
});

const loadJson = async url => (await fetch(url)).json();

/* The plain grid that has the cells of `job`: a function from the name of a frame, such as "walk/front/0003", to a
 * canvas with its pixels over the background. */
async function loadCells(job) {
    const plain = job.split('-')[0];
    const image = await loadImage(`/sheets/${plain}.png`), json = await loadJson(`/sheets/${plain}.json`);
    const canvas = document.createElement('canvas');
    return name => {
        const {x, y, w, h} = json.frames[`${plain}/${name}`].frame;
        canvas.width = w;
        canvas.height = h;
        const context = canvas.getContext('2d', {willReadFrequently: true});
        context.fillStyle = `rgb(${BACKGROUND})`;
        context.fillRect(0, 0, w, h);
        context.drawImage(image, x, y, w, h, 0, 0, w, h);
        return context.getImageData(0, 0, w, h);
    };
}

const report = {checks: 0, problems: []};

function problem(text) {
    if (report.problems.length < 20)
        report.problems.push(text);
}

function expect(is, text) {
    report.checks++;
    if (!is)
        problem(text);
}

/* Whether `canvas` shows the cell, all of it, with its top left at x, y. */
function expectCell(what, canvas, x, y, cell) {
    const copy = document.createElement('canvas');
    copy.width = cell.width;
    copy.height = cell.height;
    const context = copy.getContext('2d', {willReadFrequently: true});
    context.drawImage(canvas, x, y, cell.width, cell.height, 0, 0, cell.width, cell.height);
    const drawn = context.getImageData(0, 0, cell.width, cell.height).data;
    let worst = 0, seen = 0;
    for (let i = 0; i < drawn.length; i++) {
        worst = Math.max(worst, Math.abs(drawn[i] - cell.data[i]));
        seen += i % 4 < 3 && Math.abs(cell.data[i] - BACKGROUND[i % 4]) > 20;
    }
    expect(seen > 500, `${what}: there is hardly anything in the cell`);
    expect(worst <= TOLERANCE, `${what}: differs from the cell by ${worst} levels`);
}

/* All frames of a job on all its pages, in the order of their names: as {key, name: "walk/front/0003", page, file, ms}
 * with the origin in the cell in pixels, which is taken from the plain grid. */
async function listFrames(job) {
    const plain = await loadJson(`/sheets/${job.split('-')[0]}.json`);
    const first = await loadJson(`/sheets/${job}.json`);
    const files = [`${job}.json`, ...(first.meta.related_multi_packs ?? [])];
    const pages = await Promise.all(files.map(file => loadJson(`/sheets/${file}`)));
    return pages.flatMap((json, page) => Object.entries(json.frames).map(([key, {duration: ms}]) => {
        const name = key.slice(job.length + 1), {anchor, sourceSize} = plain.frames[`${job.split('-')[0]}/${name}`];
        return {key, name, page, file: files[page], ms, origin: [anchor.x * sourceSize.w, anchor.y * sourceSize.h]};
    }));
}

const framesOf = (frames, animation) => frames.filter(({name}) => name.startsWith(`${animation}/`));

/* Runs the test of a page and leaves its report where the driver looks. */
async function run(test) {
    try {
        await test();
    } catch (error) {
        problem(`${error.stack ?? error}`);
    }
    window.report = report;
}
