// editor.mjs MODULES SHEETBAKE: what yaml-language-server, which many editors run, completes and says of lists by the schema.
// Prints differences to what we want; the exit code is 1 if there are any.
import {spawnSync} from 'node:child_process';
import {createRequire} from 'node:module';
import path from 'node:path';

const [modules, program] = process.argv.slice(2);
const use = createRequire(path.resolve(modules) + '/');
const {getLanguageService} = use('yaml-language-server/out/server/src/index.js');
const {SettingsState} = use('yaml-language-server/out/server/src/yamlSettings.js');
const {TextDocument} = use('vscode-languageserver-textdocument');

const schema = spawnSync(program, ['schema'], {encoding: 'utf8', maxBuffer: 1 << 24}).stdout;
const documents = new Map(), yamlSettings = new SettingsState();
yamlSettings.documents = documents;
const service = getLanguageService({
    schemaRequestService: async () => schema,
    workspaceContext: {resolveRelativePath: (name) => name},
    telemetry: {send() {}, sendTrack() {}, sendError: console.log},
    yamlSettings,
});
service.configure({
    validate: true, completion: true, hover: true, customTags: [], yamlVersion: '1.2', indentation: '  ',
    schemas: [{fileMatch: ['*.yaml'], uri: 'file:///list.schema.json', schema: JSON.parse(schema)}],
});

function open(text) {
    const document = TextDocument.create(`file:///${documents.size}.yaml`, 'yaml', 0, text);
    documents.set(document.uri, document);
    return document;
}

let differences = 0, count = 0;
function compare(text, found, wanted) {
    count++;
    if (found === wanted)
        return;
    differences++;
    console.log(`${JSON.stringify(text)}:\n    found  ${found}\n    wanted ${wanted}`);
}

// What is offered at the `|`.
const CAMERAS = 'front left back right top bottom three_quarter isometric dimetric', LIGHTS = 'studio flat rim topdown';
const PASSES = 'color normal depth mask uv wireframe clay skeleton bounds shadow outline emission albedo teamcolor';
const COMPLETED = {
    'cameras: |': CAMERAS, 'cameras: [|]': CAMERAS, 'cameras: [front, |]': CAMERAS, 'cameras: [{camera: |}]': CAMERAS,
    'light: |': LIGHTS, 'light: {rig: |}': LIGHTS, 'passes: |': PASSES, 'passes: [|]': PASSES, 'pixel: |': 'none',
    'skins: |': 'all', 'skin: |': '', 'animations: |': '', 'sheet: {trim: |}': 'true false', 'pixel: {dither: |}': 'none bayer blue_noise',
    'sampling:\n    |': 'times count fps frames range', 'pixel:\n    |': 'palette dither light_steps outline outline_color',
};
for (const [key, wanted] of Object.entries(COMPLETED)) {
    const text = `version: 1\ndefaults:\n  ${key}\n`, at = text.indexOf('|');
    const document = open(text.replace('|', ''));
    const {items} = await service.doComplete(document, document.positionAt(at), false);
    compare(key, items.map(({label}) => label).join(' '), wanted);
}

// What is said of a mistake, and where.
const SAID = {
    'cameras: [front, {name: a, directions: 8}]': '', 'sampling: {count: 12}': '',
    'sampling: {count: 12, fps: 10}': "count: cannot be given together with 'fps'; fps: cannot be given together with 'count'",
    'cameras: [{name: a, directions: 8, yaw: 5}]': "directions: cannot be given together with 'yaw'",
    'cameras: [{name: a, start: 5}]': '{: Missing property "directions".',
    'pixel: {colors: 16}': 'colors: Property colors is not allowed.', 'outline: {widht: 2}': 'widht: Property widht is not allowed.',
    'light: {kee: {strength: 1}}': 'kee: Property kee is not allowed.', 'cameras: [{directons: 8}]': 'directons: Property directons is not allowed.',
    'pixel: many': 'many: Value is not accepted. Valid values: "none".', 'cameras: [[front]]': '[front]: Incorrect type. Expected "string".',
};
for (const [key, wanted] of Object.entries(SAID)) {
    const document = open(`version: 1\ndefaults:\n  ${key}\n`);
    const said = (await service.doValidation(document, false)).map(({range, message}) => `${document.getText(range)}: ${message}`);
    compare(key, said.sort().join('; '), wanted);
}

const document = open('version: 1\ndefaults:\n  cameras: [front]\n');
const {contents} = await service.doHover(document, document.positionAt(document.getText().indexOf('cameras')));
compare('cameras', contents.value.split('\n')[0], 'from where: Cameras');

console.log(`${count} texts in an editor, ${differences} differences`);
process.exit(differences ? 1 : 0);
