// sarif.mjs MODULES FILE...: whether SARIF files are as the published schema of SARIF 2.1.0 says, which
// @microsoft/jest-sarif has. Prints what is not; the exit code is 1 if there is anything.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const use = createRequire(path.resolve(modules, '@microsoft/jest-sarif/package.json'));
const ajv = new (use('ajv'))({schemaId: 'id', meta: false, allErrors: true, unknownFormats: 'ignore', logger: false});
ajv.addMetaSchema(use('ajv/lib/refs/json-schema-draft-04.json'));
const validate = ajv.compile(use('./lib/schemas/sarif-2.1.0-rtm.5.json'));

let problems = 0, results = 0;
for (const file of files) {
    const report = JSON.parse(fs.readFileSync(file));
    if (!validate(report))
        for (const error of validate.errors)
            problems++, console.log(`${file}: ${error.dataPath} ${error.message}`);
    results += report.runs[0].results.length;
}
// It would find a report that is wrong.
if (validate({version: '2.1.0', runs: [{tool: {driver: {}}, results: [{level: 'bad'}]}]}))
    problems++, console.log('the schema takes anything');
console.log(`${files.length} SARIF files with ${results} results, ${problems} problems`);
process.exit(problems || !results ? 1 : 0);
