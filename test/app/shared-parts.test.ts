// Every front end reads a pipeline together with its shared parts.
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import { readAppliedFiles } from '../../src/app/apply/applied-files.ts';
import { compile } from '../../src/app/library/compile.ts';
import { compileForTest } from '../../src/app/testing/execute-run.ts';
import { summarizePipelines } from '../../src/app/validate/pipeline-files.ts';
import { checkTestFile } from '../../src/compile/test-file/check-tests.ts';
import type { Plan } from '../../src/plan/types.ts';
import { folderWith } from '../cli/_folder.ts';
import { run } from '../cli/_run-cli.ts';

const shared = [
  'parameters: { season: { type: string, default: spring } }',
  'connectors:',
  '  models: { type: local, path: models }',
  '  out: { type: local, path: "${{ params.season }}" }',
  'defaults:',
  '  render: { timeout: 4h, config: { settings: { imageQuality: 2 } } }',
  '  export: { config: { connector: out } }',
].join('\n');

const pipeline = (include: string) =>
  [
    'name: shop',
    `include: ${include}`,
    'schedule: { every: 1d, parameters: { season: spring } }',
    'nodes:',
    '  - { id: take, type: connector_poll, config: { connector: models } }',
    '  - { id: ready, type: model_ready, parentIds: [take] }',
    '  - { id: shots, type: render, parentIds: [ready] }',
    '  - { id: deliver, type: export, parentIds: [shots] }',
  ].join('\n');

const folder = () =>
  folderWith({
    'shop.yaml': pipeline('studio.shared.yaml'),
    'studio.shared.yaml': shared,
    'shop.test.yaml': 'tests: [{ name: a, parameters: { season: summer }, expect: {} }]',
    'models/a.glb': '',
  });
// No command of this file may find a Temporal server.
const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
const appIn = (cwd: string) => new App({ cwd, env });

/** The plan that the library compiles, with which all other front ends are compared. */
async function planIn(cwd: string): Promise<Plan> {
  const { plan, problems } = await compile('shop.yaml', { cwd, env, parameters: {} });
  if (plan === null) throw new Error(JSON.stringify(problems));
  return plan;
}

test('the library compiles a pipeline with a shared part', async () => {
  const { steps, connectors } = await planIn(folder());
  expect(Object.keys(connectors)).toEqual(['models', 'out']);
  expect(steps.map(({ config }) => config)).toContainEqual(
    expect.objectContaining({ settings: { imageQuality: 2 } }),
  );
});

test.each<[way: string, hashOf: (cwd: string) => Promise<unknown>]>([
  [
    '`plan` prints the same plan',
    async (cwd) => (await run(['plan', 'shop.yaml', '--json'], { cwd, env })).json()['hash'],
  ],
  [
    '`apply` reads the same plan',
    async (cwd) => (await readAppliedFiles(appIn(cwd), ['.'])).scheduled[0]?.plan.hash,
  ],
  [
    '`validate --resolved` resolves standard input with parts of the folder',
    async (cwd) => {
      const stdin = pipeline('studio.shared.yaml');
      const resolved = await run(['validate', '-', '--resolved'], { cwd, env, stdin });
      const own = folderWith({ 'shop.yaml': resolved.stdout });
      return (await planIn(own)).recipe;
    },
  ],
])('%s', async (_, hashOf) => {
  const cwd = folder();
  const { hash, recipe } = await planIn(cwd);
  expect([hash, recipe]).toContain(await hashOf(cwd));
});

describe('`renderline test`', () => {
  it('`renderline test` compiles the same pipeline', async () => {
    const cwd = folder();
    const request = {
      checkedFile: { folder: cwd, pipeline: join(cwd, 'shop.yaml'), channels: {} },
      parameters: {},
      environment: {},
    };
    const { plan } = await compileForTest(request, folderWith());
    expect(plan?.recipe).toBe((await planIn(cwd)).recipe);
  });

  it('`renderline test` knows the shared parameters of the pipeline', async () => {
    const { problems } = await checkTestFile('shop.test.yaml', { cwd: folder(), environment: {} });
    expect(problems).toEqual([]);
  });
});

test('the page lists a pipeline with shared parameters, and shows the position of an error in a shared part', async () => {
  const cwd = folder();
  const good = await summarizePipelines(appIn(cwd), ['.']);
  expect(good.map(({ file, parameters }) => [file, Object.keys(parameters)])).toEqual([
    ['shop.yaml', ['season']],
  ]);
  const broken = folderWith({
    'shop.yaml': pipeline('studio.shared.yaml'),
    'studio.shared.yaml': `${shared}\nnodes: []`,
  });
  const [one] = await summarizePipelines(appIn(broken), ['.']);
  expect(one?.problem).toBe('studio.shared.yaml, line 8: "nodes" is not a field of a shared part');
});

describe('`validate`', () => {
  it.each([
    ['skips a shared part among its arguments', ['shop.yaml', 'studio.shared.yaml']],
    ['skips a shared part in the folder', ['.']],
  ])('`validate` %s', async (_, paths) => {
    const ran = await run(['validate', ...paths], { cwd: folder(), env });
    expect([ran.code, ran.stdout]).toEqual([0, 'valid    shop.yaml\n']);
  });

  it('`validate` reports the shared part, its line, and the pipeline that includes it', async () => {
    const cwd = folderWith({
      'shop.yaml': pipeline('studio.shared.yaml'),
      'studio.shared.yaml': shared.replace('imageQuality: 2', 'imageQuality: 9'),
    });
    const ran = await run(['validate', 'shop.yaml', '--resolved'], { cwd, env });
    expect(ran.code).toBe(2);
    expect(ran.stdout).toMatch(/^studio\.shared\.yaml:6:62 error RL204 /m);
    expect(ran.stdout).toContain('included by shop.yaml');
    const json = (await run(['validate', 'shop.yaml', '--json'], { cwd, env })).json();
    expect(json).toMatchObject({
      files: [{ problems: [{ file: 'studio.shared.yaml', line: 6, includedBy: 'shop.yaml' }] }],
    });
  });

  it('`validate` with --resolved and --json prints the pipeline, and the origin of its shared fields', async () => {
    const cwd = folder();
    const json = (
      await run(['validate', 'shop.yaml', '--resolved', '--json'], { cwd, env })
    ).json();
    expect(json).toMatchObject({
      schema: 'renderline/resolved/v1',
      file: 'shop.yaml',
      pipeline: { name: 'shop', parameters: { season: { default: 'spring' } } },
    });
    expect(json['shared']).toContainEqual({
      path: 'nodes[2].timeout',
      file: 'studio.shared.yaml',
      line: 6,
    });
  });

  it('`validate` with --resolved refuses a second file', async () => {
    const cwd = folderWith({ 'a.yaml': pipeline('x.shared.yaml'), 'b.yaml': 'nodes: []' });
    const ran = await run(['validate', '.', '--resolved'], { cwd, env });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('2 were given')]);
  });
});

test('the shell completes shared parameters', async () => {
  const cwd = folder();
  const words = ['run', 'shop.yaml', '--param', ''];
  const ran = await run(['__complete', '--', ...words], { cwd, env });
  expect(ran.stdout).toContain('season=');
});
