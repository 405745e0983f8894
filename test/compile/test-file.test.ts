// Test files: their problems with positions. Editors report the same problems.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { compileForTest } from '../../src/app/testing/execute-run.ts';
import { testSchema } from '../../src/compile/schema.ts';
import {
  formatStarterPipeline,
  formatStarterTest,
  purposes,
  starterFileOf,
} from '../../src/compile/starters/index.ts';
import { checkTestFile } from '../../src/compile/test-file/check-tests.ts';
import { violations } from './_violations.ts';

const facts = { models: 'models', folders: [], timezone: 'UTC' };
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'renderline-test-files-'));
  writeFileSync(join(folder, 'pipeline.yaml'), formatStarterPipeline('catalog', facts));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function check(text: string) {
  writeFileSync(join(folder, 'pipeline.test.yaml'), text);
  const options = { cwd: folder, environment: {} };
  return checkTestFile('pipeline.test.yaml', options);
}

test('a server that is not allowed is not a problem of a test file, since tests open no server', async () => {
  const text = formatStarterPipeline('catalog', facts);
  const server =
    'type: s3, bucket: acme, endpoint: "https://store.example.com", region: eu-central-1';
  const changed = text.replace(/^( {2}pictures: \{).*?\}$/m, `$1 ${server} }`);
  expect(changed).toContain('store.example.com');
  writeFileSync(join(folder, 'far.yaml'), changed);
  writeFileSync(
    join(folder, 'far.test.yaml'),
    'pipeline: far.yaml\ntests: [{ name: one, expect: {} }]',
  );
  const options = { cwd: folder, environment: {} };
  const { problems } = await checkTestFile('far.test.yaml', options);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const asked = {
    checkedFile: { pipeline: join(folder, 'far.yaml') },
    parameters: {},
    environment: {},
  };
  const played = await compileForTest(
    asked as unknown as Parameters<typeof compileForTest>[0],
    folder,
  );
  expect(played.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
});

const one = (fields: string) => `tests:\n  - name: one\n    expect: {}\n    ${fields}\n`;

describe('problems of a test file', () => {
  test.each([
    [
      'an unknown field of a file',
      'pipelin: x\ntests: []',
      '1:1 RL201',
      'Did you mean "pipeline"?',
    ],
    ['an unknown field of a test', one('fles: []'), '4:5 RL201', 'Did you mean "files"?'],
    ['a test without expectations', 'tests:\n  - name: x\n', '2:5 RL202', 'Add `expect:`.'],
    [
      'an unknown operation',
      one('faults: [{ request: createRender, answers: 500 }]'),
      '4:25 RL802',
      'createRenders',
    ],
    [
      'an unknown parameter',
      one('parameters: { foldr: x }'),
      '4:19 RL802',
      'Did you mean "folder"?',
    ],
    [
      'an unknown node',
      one('faults: [{ worker: killed, at: shot }]'),
      '4:36 RL802',
      'Did you mean "shots"?',
    ],
    [
      'a path that leads out of the folder',
      one('files: [../a.glb]'),
      '4:13 RL803',
      'Use a path in the folder of the test.',
    ],
    [
      'a path to delete that leads out of the folder',
      one('again: [{ remove: [../a.glb], expect: {} }]'),
      '4:24 RL803',
      'Use a path in the folder of the test.',
    ],
    [
      'a file of an unknown kind',
      one('files: [a.xyz]'),
      '4:13 RL803',
      'Set the `text` of the file',
    ],
    ['a copy of a missing file', one('files: [{ path: a.glb, copy: no.glb }]'), '4:34 RL803', ''],
    [
      'several files with the same name',
      one('files: [{ path: a.glb, count: 3 }]'),
      '4:21 RL803',
      '',
    ],
    [
      'an invalid id of a template',
      one('platform: { templates: [{ name: Own, id: my own }] }'),
      '4:46 RL204',
      '',
    ],
    [
      'a template without a view',
      one('platform: { templates: [{ name: Own, views: [] }] }'),
      '4:49 RL204',
      '',
    ],
    ['a fault without a subject', one('faults: [{ takes: 3m }]'), '4:14 RL804', 'Use one of model'],
    [
      'a fault with two subjects',
      one('faults: [{ model: a, render: b, takes: 3m }]'),
      '4:14 RL804',
      'Use one of',
    ],
    [
      'an effect of another subject',
      one('faults: [{ model: a, lost: true }]'),
      '4:26 RL804',
      'takes, fails',
    ],
    ['a fault without an effect', one('faults: [{ model: a }]'), '4:14 RL804', 'takes, fails'],
    [
      'two tests with the same name',
      'tests: [{ name: a, expect: {} }, { name: a, expect: {} }]',
      '1:42 RL801',
      '',
    ],
    ['a missing pipeline', 'pipeline: no.yaml\ntests: [{ name: a, expect: {} }]', '1:11 RL805', ''],
    ['empty text', '', '1:1 RL109', ''],
    ['an invalid time', 'tests: [{ name: a, expect: { takes: "> 5min" } }]', '1:37 RL204', ''],
    ['a timeout of a thousand years', one('timeout: 365250d'), '4:14 RL204', ''],
    ['invalid bounds', 'tests: [{ name: a, expect: { fileCount: few } }]', '1:41 RL204', ''],
    [
      'starts without a schedule',
      'tests: [{ name: a, expect: { starts: { from: x, to: x, at: [] } } }]',
      '1:30 RL802',
      '',
    ],
  ])('a problem is reported at its position: %s', async (_what, text, place, hint) => {
    const { problems, tests } = await check(text);
    expect(tests).toBeNull();
    const found = problems.filter(({ severity }) => severity === 'error');
    expect(found.map(({ line, col, code }) => `${line}:${col} ${code}`)).toContain(place);
    expect(found.map((problem) => problem.hint ?? '').join('\n')).toContain(hint);
  });

  test('an unknown failure code is only a warning, since the platform may have new ones', async () => {
    const { problems, tests } = await check(
      'tests: [{ name: a, expect: { failures: [{ key: a, code: MODEL_TIMOUT }] } }]',
    );
    expect(tests).not.toBeNull();
    expect(problems).toMatchObject([
      { severity: 'warning', hint: 'Did you mean "MODEL_TIMEOUT"?' },
    ]);
  });

  test.each([
    ['invalid YAML', 'tests: [', 'RL101'],
    ['a list', '- a', 'RL203'],
    ['empty text', '', 'RL109'],
  ])('text that is not a test file is refused: %s', async (_what, text, code) => {
    expect((await check(text)).problems[0]?.code).toBe(code);
  });
});

const pipelines = fileURLToPath(new URL('../../pipelines/', import.meta.url));
const shipped = readdirSync(pipelines).filter((name) => name.endsWith('.test.yaml'));

describe('the shipped test files', () => {
  it.each(shipped)('%s is valid for Renderline and for editors', async (name) => {
    const checked = await checkTestFile(name, { cwd: pipelines, environment: {} });
    expect(checked.problems).toEqual([]);
    expect(violations(testSchema(), parse(readFileSync(pipelines + name, 'utf8')))).toEqual([]);
  });

  it('every shipped pipeline has a test file', () => {
    const all = readdirSync(pipelines).filter((name) => /^[\w-]+\.yaml$/.test(name));
    expect(shipped).toEqual(all.map((name) => name.replace('.yaml', '.test.yaml')));
  });

  it.each(purposes)(
    'the test file of `init` for %s is valid for Renderline and for editors',
    async (purpose) => {
      writeFileSync(join(folder, starterFileOf(purpose)), formatStarterPipeline(purpose, facts));
      const text = formatStarterTest(purpose);
      expect((await check(`pipeline: ${starterFileOf(purpose)}\n${text}`)).problems).toEqual([]);
      expect(violations(testSchema(), parse(text))).toEqual([]);
    },
  );
});
