// check.mjs MODULES SHEETBAKE SCRATCH LIST...: what the schema takes and refuses of lists is what the program takes and
// refuses, but for the messages of UNSAID. LISTs are files, and pages with lists in them. Each value of the schema is also
// tried at its limits and beside them, and as another type, in lists that are made for it. Prints differences; the exit code
// is 1 if there are any.
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const [modules, program, scratch, ...files] = process.argv.slice(2);
const use = createRequire(path.resolve(modules) + '/');
const Ajv = use('ajv').default;
const {parseDocument} = use('yaml');

// -- What the schema does not say ---------------------------------------------------------------------------------------

const UNSAID = [
    // what lies in folders and other lists
    /^no file '|^assets '.*': |: No such file or directory/, /^the list has no jobs$/, /^no file matches|^no .* in the assets/,
    // names that stand elsewhere in the list, and rules of names
    /^no (camera|light rig|attachment) is called '/, / is twice in this list/,
    / writes the same files as job /, / would write 'NAME/, /^a job has at most \d+ templates/, /`exclude` (has nothing|leaves no)/, /^attachments hang on each other in a circle/,
    /^'.*' (is several cameras|stands at its 'eye'), so no other/, /^the name of (a direction|frames) /, / in the name of frames: /,
    /^a(n)? (job's|camera's|light rig's|animation's|attachment's|group's) name,? /, / is too much like '.*' for a group's name$/,
    / holds one of \*\?\[/, / is a file of skins; name one of them/, /a path with '\.\.' is not allowed$/, / must be a file: 'def:' is for a job's own model/,
    /^'(at|model)' |^the animation of an attachment holds |^an? (socket|box|mesh|name|event) (holds|is) /,
    /^the (name of an|jobs of) atlas[ ,]/, /^an atlas has no /, /^frames of job '.*' may be called as those of a skin/,
    // sums and orders
    /^'.*' never warns at /,
    /^'(range|frames)' ends at .*, before it starts/, /^frames must be a number or a run .*, found '?[0-9]+ *-/,
    /^'frames' asks for more than/, / is drawn at .* with supersample /, /^\d+ columns are .* pixels wide/, / does not fit a page of /,
    /^the camera looks along 'up'/, /^'eye' and 'target' are the same place/, / are one axis: /, /must not be \[0, 0, 0\]$/,
    /^more than 1000 cameras/, /^\d+ names for \d+ directions/, /^no direction is the mirror image of another/,
    // what a key means with the value of another
    /^'origin' of 'fit' (is at|moves cameras)/, /^'(fov|quality)' has a meaning only with/, / has no meaning for the ground '/, /^'columns' belongs to the layout 'grid'/,
    /^the pass '(shadow|teamcolor)' (cannot show|needs)/, /would hide the pass '/, /^the 'color' of a range must have a hue/,
    /together with '(file|same_frame)'/,
    // how a number is written: 1.0 and 1e2 are whole numbers in JSON
    /must be (a whole number|a number or a run) .* found -?\d*[.eE]/,
    // what editors read otherwise, or leave out
    /^not readable as UTF-8/, /^text with a NUL/, /^the tag '|^%TAG/, /^not valid YAML: found incompatible YAML/,
];

// YAML 1.2, as editors read it, knows some words and numbers that are text to us.
const OTHER_YAML = /0x[0-9a-f]+|0o[0-7]+|[-+]?\.(inf|nan)|\b(True|TRUE|False|FALSE|Null|NULL)\b/i;

// -- The two verdicts --------------------------------------------------------------------------------------------------

const schema = JSON.parse(spawnSync(program, ['schema'], {encoding: 'utf8', maxBuffer: 1 << 24}).stdout);
const ajv = new Ajv({strict: true, strictRequired: false, strictTypes: false, allErrors: true});
const validate = ajv.addKeyword('errorMessage').compile(schema); // which editors know

// What the program says of the file itself: {line, text}.
function problemsOf(file) {
    const {stderr, status} = spawnSync(program, ['render', '--dry-run', '--ci', 'off', '--only', 'no such job', file],
                                       {encoding: 'utf8', maxBuffer: 1 << 26, env: {...process.env, LC_ALL: 'C'}});
    if (status !== 2)
        throw new Error(`${file}: the program ended with ${status}: ${stderr}`);
    const name = path.normalize(file);
    return stderr.split('\n').filter((line) => line.startsWith(name + ':')).map((line) => {
        const found = /^(?::(\d+):\d+)?: (.*)$/.exec(line.slice(name.length)) || [];
        return {line: Number(found[1] || 0), text: found[2] || line};
    });
}

const used = new Set();
const isUnsaid = ({text}) => UNSAID.some((pattern) => pattern.test(text) && used.add(pattern));

let compared = 0, differences = 0;
function differ(place, what) {
    differences++;
    console.log(`${place}: ${what}`);
}

function say(errors) {
    return errors.slice(0, 3).map(({instancePath, message}) => `${instancePath} ${message}`).join('; ');
}

// -- Lists that there are ----------------------------------------------------------------------------------------------

function compareFile(file, text) {
    const document = parseDocument(text, {uniqueKeys: true, maxAliasCount: -1});
    if (document.errors.length || !text.trim())
        return; // no YAML; the program has its own tests for that
    const problems = problemsOf(file);
    let value;
    try {
        value = document.toJS({maxAliasCount: -1});
    } catch {
        return;
    }
    compared++;
    const isGood = validate(value);
    if (isGood && problems.some((problem) => !isUnsaid(problem)))
        differ(file, `only the program says: ${problems.find((problem) => !isUnsaid(problem)).text}`);
    if (!isGood && problems.length === 0 && !OTHER_YAML.test(text))
        differ(file, `only the schema says: ${say(validate.errors)}`);
}

// The examples of a page: whole lists, and keys of a job.
function blocksOf(page) {
    return [...page.matchAll(/^```yaml( job)?\n([^]*?)^```/gm)].map(([, isJob, text]) => {
        if (!isJob)
            return text;
        const name = /^name:/m.test(text) ? '' : '    name: a\n', model = /^model:/m.test(text) ? '' : '    model: a.md2\n';
        return `version: 1\njobs:\n  -\n${name}${model}${text.replace(/^/gm, '    ')}\n`;
    }).filter((text) => /^version:/.test(text));
}

fs.mkdirSync(path.join(scratch, 'assets'), {recursive: true});
const templates = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => `${i}.mustache`);
for (const name of ['a.md2', 'a.json.mustache', ...templates, 'abc', 'abc0', 'abc.md2'])
    fs.writeFileSync(path.join(scratch, 'assets', name), '');
for (const name of ['abc', 'abc0', 'def', 'true', 'false', '-1', '0', '1', '2', '0.5', '3-5'])
    fs.writeFileSync(path.join(scratch, name), 'version: 1\n'); // lists to include

for (const file of files) {
    const text = fs.readFileSync(file, 'utf8');
    if (!file.endsWith('.md')) {
        compareFile(file, text);
        continue;
    }
    for (const [i, block] of blocksOf(text).entries()) {
        const copy = path.join(scratch, `block-${i}.yaml`);
        fs.writeFileSync(copy, block);
        compareFile(copy, block);
    }
}

// What it does not say, each alone: the schema takes these lists, and the program does not.
const UNSAID_KEYS = ['fit: {scope: jobs}', 'animations: [{name: "a*", frames: 1}]', 'sockets: ["\\u0007"]', 'attach: {model: abc, at: "\\u0007"}',
    'animations: [{name: a, frames: 45-40}]', 'sampling: {frames: 0-70000}', 'cameras: [{eye: [1, 0, 0], up: [0, 0, 0]}]',
    'cameras: [{name: a, directions: 360}, {name: b, directions: 360}, {name: c, directions: 360}]',
    'ground: {kind: grid, strength: 1}', 'supersample: 1.0', 'transform: {up: x, front: x}', 'sheet: {columns: 4, layout: packed}',
    'rules: {triangles: {warn: 5, fail: 5}}', 'cameras: [{directions: 2, names: ["a/b", c]}]', 'cameras: [{directions: 4, mirror: true, roll: 5}]',
    'cameras: [{camera: several, yaw: 1}]', `metadata: [json, a.json.mustache, ${templates}]`,
    'passes: [teamcolor]', 'passes: [shadow], background: checkerboard', 'teamcolor: {range: {color: [9, 9, 9]}}'];
for (const keys of UNSAID_KEYS) {
    const text = `version: 1\nassets: assets\ncameras: {several: {directions: 4}}\njobs: [{name: a, model: a.md2, ${keys}}]\n`;
    const file = path.join(scratch, 'unsaid.yaml');
    fs.writeFileSync(file, text);
    if (!validate(parseDocument(text).toJS()) || !problemsOf(file).length)
        differ(text, 'is not as UNSAID has it');
    compareFile(file, text);
}
console.log(`${compared} lists compared`);

// -- Each value at its limits ------------------------------------------------------------------------------------------

// What a value may be besides `place`: choices of it, and what it asks of values of one type and of others.
function choicesOf(place) {
    const choices = place.type === 'object' ? [] : [...place.anyOf || [], ...[place.then, place.else].filter((one) => one && Object.keys(one).length)];
    return choices.flatMap((one) => [one, ...choicesOf(one)]);
}

// A good value, of a plain one where there is a choice.
function sampleOf(place) {
    if ('const' in place)
        return place.const;
    if (place.enum)
        return place.enum[0];
    if (place.anyOf && !place.type)
        return sampleOf(place.anyOf[0]);
    if (place.if)
        return sampleOf(place.else);
    const type = [place.type].flat()[0];
    if (type === 'string')
        return !place.pattern ? 'abc' : ['#112233', '3-5', 'abc.png', 'abc.mustache', '20 %'].find((one) => new RegExp(place.pattern).test(one));
    if (type === 'integer' || type === 'number')
        return place.maximum;
    if (type === 'boolean')
        return true;
    if (type === 'array') // of different items
        return Array.from({length: place.minItems ?? 1}, (_, i) => {
            const item = sampleOf(place.items);
            return typeof item === 'number' ? item - i : item === 'abc' ? `abc${i}` : item;
        });
    const keys = [...place.required || [], ...(place.anyOf || []).slice(0, 1).flatMap((one) => one.required)];
    const object = Object.fromEntries(keys.map((key) => [key, sampleOf(place.properties[key])]));
    return place.additionalProperties ? {abc: sampleOf(place.additionalProperties)} : object;
}

const OTHERS = [null, true, false, -1, 0, 1, 2, 0.5, 5000, 1e7, '', 'abc', 'none', 'auto', 'all', '#112233', '#11223344', '3-5', '5-',
    [], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], ['abc'], ['abc', 'def'], [[]], ['#112233', '#445566'], [300, 0, 0], {}, {abc: 1}, {abc: 'd'}];

// Values to try where the schema has `place`.
function* valuesOf(place) {
    yield* OTHERS;
    for (const one of [place, ...choicesOf(place)]) {
        if (one.enum)
            yield* one.enum;
        if ('maximum' in one)
            yield* [one.minimum, one.maximum, one.minimum - (one.type === 'integer' ? 1 : 0.00005), one.maximum + 1];
        if (one.type === 'array' && !one.items.properties)
            for (const count of [one.minItems || 0, (one.minItems || 0) + 1, one.maxItems].filter((n) => n < 2000))
                yield sampleOf({...one, minItems: count});
        if (one.properties)
            yield sampleOf(one);
    }
}

// Mappings below `place`, each with a function that puts one of its kind into a list.
function* mappingsOf(place, put) {
    const values = [place, ...choicesOf(place)];
    const items = values.filter((one) => one.items).flatMap(({items}) => [items, ...choicesOf(items)]);
    for (const one of [...values, ...items]) {
        if (one.type !== 'object' || !one.properties)
            continue;
        yield [one, put];
        for (const [key, below] of Object.entries(one.properties)) {
            const wrap = (value) => put({...sampleOf(one), ...alone(one, key), [key]: value});
            yield* mappingsOf(below, wrap);
        }
    }
}

// The sample of a mapping without those keys that `key` excludes, and with those that it needs.
function alone(mapping, key) {
    const object = sampleOf(mapping);
    for (const company of mapping.dependencies?.[key]?.allOf || []) {
        for (const other of Object.keys(company.properties || {}))
            delete object[other];
        for (const other of company.required || [])
            object[other] = sampleOf(mapping.properties[other]);
    }
    return object;
}

const inJob = (keys) => ({version: 1, assets: 'assets', jobs: [{name: 'a', model: 'a.md2', ...keys}]});
const places = [
    ...[...mappingsOf(schema.properties.jobs.items, inJob)],
    [schema.properties.defaults, (defaults) => ({...inJob({}), defaults})],
    ...[...mappingsOf(schema.properties.cameras.additionalProperties, (a) => ({...inJob({}), cameras: {a}}))],
    ...[...mappingsOf(schema.properties.lights.additionalProperties, (a) => ({...inJob({}), lights: {a}}))],
    [schema, (keys) => ({...inJob({}), ...keys})],
];


// Each with a list of its own; the program reads a hundred in one call.
const cases = [];
for (const [mapping, put] of places) {
    for (const [key, below] of Object.entries(mapping.properties))
        for (const value of valuesOf(below)) {
            const keys = {...(mapping === schema ? {} : alone(mapping, key)), [key]: value};
            cases.push(put(keys));
            for (const other of mapping === schema ? [] : Object.keys(mapping.properties))
                if (value === sampleOf(below) && other !== key)
                    cases.push(put({...keys, [other]: sampleOf(mapping.properties[other])}));
        }
    cases.push(put({}), put({abc: 1}));
}

const different = [...new Map(cases.map((list) => [JSON.stringify(list), list])).values()];
for (let first = 0; first < different.length; first += 100) {
    const names = different.slice(first, first + 100).map((list, i) => {
        const name = path.join(scratch, `case-${i}.yaml`);
        fs.writeFileSync(name, JSON.stringify(list));
        return name;
    });
    const {stderr} = spawnSync(program, ['render', '--dry-run', '--ci', 'off', '--only', 'no such job', ...names],
                               {encoding: 'utf8', maxBuffer: 1 << 26});
    for (const [i, name] of names.entries()) {
        const list = different[first + i];
        const problems = stderr.split('\n').filter((line) => line.startsWith(name + ':'))
            .map((line) => ({text: line.slice(name.length).replace(/^(:\d+:\d+)?: /, '')}))
            .filter(({text}) => !/writes the same files/.test(text));
        const isGood = validate(list);
        if (isGood && problems.some((problem) => !isUnsaid(problem)))
            differ(JSON.stringify(list), `only the program says: ${problems.find((problem) => !isUnsaid(problem)).text}`);
        if (!isGood && problems.length === 0)
            differ(JSON.stringify(list), `only the schema says: ${say(validate.errors)}`);
    }
}
for (const pattern of UNSAID.filter((one) => !used.has(one)))
    differ(pattern, 'no list has such a problem, so it can go');
console.log(`${different.length} made lists compared, ${differences} differences in all`);
process.exit(differences ? 1 : 0);
