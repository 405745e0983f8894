// `renderline test` as a person types it: the tests of all shipped pipelines pass, a killed worker is replaced,
// failures are reported, and an interrupt leaves no files.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { run, start, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';

useProcesses();

const execute = promisify(execFile);

const pipelines = fileURLToPath(new URL('../../pipelines', import.meta.url));

// On a busy machine the server that skips time may lose a workflow task, and a test with events then never ends.
test('the tests of all shipped pipelines pass', { retry: 1 }, async () => {
  const { code, stdout, stderr } = await run(['test', pipelines, '--json', '--timeout', '2m'], {});
  expect(stderr).toBe('');
  const { tests } = JSON.parse(stdout);
  const failed = tests.filter(({ outcome }: { outcome: string }) => outcome !== 'passed');
  expect(failed).toEqual([]);
  expect(tests.length).toBeGreaterThan(7);
  expect(code).toBe(0);
});

test('a table is a file of the test and its rows are the assets, as in the how-to', async () => {
  const folder = await tempFolder('tables');
  const page = readFileSync(join(pipelines, '../docs/how-to/table-as-work-list.md'), 'utf8');
  const [, pipeline = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  writeFileSync(join(folder, 'range.yaml'), pipeline);
  const lines = [
    'tests:',
    '  - name: rows',
    '    files:',
    '      - folder/chairs/oslo.glb',
    '      - folder/stool.glb',
    '      - path: folder/products.csv',
    '        text: |',
    '          SKU;File;Colour name',
    '          A;chairs\\OSLO.glb;Oak',
    '          B;chairs/oslo.glb;White',
    '          C;gone.glb;Oak',
    '    expect:',
    '      outcome: partial_failure',
    '      files: [A.png, B.png]',
    '      failures: [{ key: C, code: ROW_FILE_MISSING }]',
    '    again:',
    '      - files: [{ path: folder/products.csv, text: "SKU;File\\nA;chairs/oslo.glb\\nD;stool.glb\\n" }]',
    '        expect: { outcome: complete, assets: { total: 2, complete: 1, unchanged: 1 } }',
  ];
  writeFileSync(join(folder, 'range.test.yaml'), lines.join('\n'));
  const { code, stdout, stderr } = await run(['test', folder], {});
  expect(stderr + stdout).toMatch(/✓ rows/);
  expect(code).toBe(0);
});

test('a killed worker is replaced, and failures are reported, including as JUnit', async () => {
  const folder = await tempFolder('tests');
  await run(['init', folder], {});
  const lines = [
    'tests:',
    '  - name: killed',
    '    files: [folder/a.glb]',
    '    faults: [{ worker: killed, after: createRenders }]',
    '    expect: { outcome: complete, files: [a.png], requests: { createRenders: "1..2" } }',
    '  - name: another name',
    '    files: [folder/a.glb]',
    '    expect: { files: [b.png] }',
    '  - name: never ends',
    '    timeout: 30s',
    '    files: [folder/a.glb]',
    '    faults: [{ request: createRenders, takes: 60s }]',
    '    expect: { outcome: complete }',
  ];
  const file = join(folder, 'catalog.test.yaml');
  writeFileSync(file, lines.join('\n'));
  const junit = join(folder, 'results.xml');
  const { code, stdout } = await run(['test', file, '--junit', junit], {});
  expect(code).toBe(1);
  expect(stdout).toMatch(/✓ killed/);
  expect(stdout).toContain(`${file}:8:23 expect.files.0`);
  expect(stdout).toContain('missing; unexpected: a.png');
  expect(stdout).toContain('Timeout: the test did not end within 30 s of real time.');
  // Consecutive calls are reported by the first; a busy machine may not have reached the last.
  expect(stdout).toMatch(
    /Its run is running, 0 of 1 asset complete: 1 asset at (take|ready|look|shots)\./,
  );
  expect(readFileSync(junit, 'utf8')).toContain('tests="3" failures="2"');
});

test("a pipeline's tests may define templates, which are chosen by a model's category", async () => {
  const folder = await tempFolder('templates');
  const pipeline = [
    'name: shop',
    'parameters: { out: { type: path, default: out } }',
    'connectors: { out: { type: local, path: "${{ params.out }}" } }',
    'nodes:',
    '  - { id: ready, type: model_ready, config: { select: { models: {} } } }',
    '  - id: look',
    '    type: template_match',
    '    parentIds: [ready]',
    '    config: { rules: [{ category: Shoes, template: Shop Shoes }], default: plain-7 }',
    '  - { id: shots, type: render, parentIds: [look], config: { settings: { renderShots: false } } }',
    '  - { id: deliver, type: export, parentIds: [shots], config: { connector: out } }',
  ];
  const models = '[{ name: boot, category: Shoes }, { name: lamp }]';
  const tests = [
    'tests:',
    '  - name: there',
    '    platform:',
    '      templates: [{ name: Shop Shoes, views: [Front, Back] }, { name: Plain, id: plain-7 }]',
    `      models: ${models}`,
    '    expect:',
    '      files: [boot/boot - Front.png, boot/boot - Back.png, lamp/lamp - Main.png]',
    '  - name: not there',
    `    platform: { models: ${models} }`,
    '    expect: { outcome: failed, cause: TEMPLATE_NOT_FOUND }',
  ];
  writeFileSync(join(folder, 'shop.yaml'), pipeline.join('\n'));
  writeFileSync(join(folder, 'shop.test.yaml'), tests.join('\n'));
  const { code, stdout } = await run(['test', folder], {});
  expect(stdout).toContain('2 tests: 2 passed');
  expect(code).toBe(0);
});

test('an interrupt leaves no files behind', async () => {
  const temporary = await tempFolder('tmp');
  const going = start(['test', join(pipelines, 'catalog.test.yaml')], { TMPDIR: temporary });
  const left = () => readdirSync(temporary).filter((name) => name.startsWith('renderline-test-'));
  await waitUntil('a test has begun', () => left().length > 0);
  const { code } = await going.stop('SIGINT');
  expect(code).toBe(130);
  expect(left()).toEqual([]);
});

test('a program that names a pipeline runs its tests', async () => {
  const library = new URL('../../dist/src/app/testing/test-pipelines.js', import.meta.url).href;
  const program = [
    `import { testPipelines } from ${JSON.stringify(library)};`,
    "const tests = await testPipelines(['pipelines/factory-sheets.yaml']);",
    "const missing = await testPipelines(['pipelines/nothing.yaml']).catch(({ code }) => code);",
    'console.log(JSON.stringify({ tests, missing }));',
  ].join('\n');
  // A process of its own, since Temporal's runtime can be installed only once in a process.
  const ran = await execute(process.execPath, ['--input-type=module', '--eval', program]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    tests: [{ outcome: 'passed', file: 'pipelines/factory-sheets.test.yaml' }],
    missing: 'ENOENT',
  });
});
