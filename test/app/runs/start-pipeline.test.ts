// Starting a run: the checks that run before the platform and Temporal are contacted.
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { previewStart, startPipeline } from '../../../src/app/runs/start-pipeline.ts';
import { folderWith } from '../../cli/_folder.ts';
import { triangleGlb } from '../../glb/_make-glb.ts';
import { endRun } from '../plan/_earlier-run.ts';

const catalog = readFileSync('pipelines/catalog.yaml', 'utf8');

let cwd: string;
let app: App;

/** A project with two models, which are no longer being written. */
beforeEach(() => {
  cwd = folderWith({
    'catalog.yaml': catalog,
    'empty/.keep': '',
    'models/a.glb': triangleGlb(),
    'models/b.glb': triangleGlb(),
  });
  for (const name of ['a', 'b']) utimesSync(join(cwd, `models/${name}.glb`), 0, 0);
  app = new App({ env: {}, cwd });
});

const parametersOf = (folder: string) => ({ folder: join(cwd, folder), out: join(cwd, 'out') });

test('a source without files starts no run, and requires neither the platform nor Temporal', async () => {
  const started = await startPipeline(app, 'catalog.yaml', { parameters: parametersOf('empty') });
  expect(started).toMatchObject({
    shape: { schema: 'renderline/run/v1', run: null, outcome: 'complete', assets: { total: 0 } },
    report: null,
  });
});

test('the platform is contacted before Temporal', async () => {
  const options = { parameters: parametersOf('models') };
  await expect(startPipeline(app, 'catalog.yaml', options)).rejects.toMatchObject({
    code: 'PLATFORM_NOT_SET',
  });
});

test('without a selection, nothing is previewed unless a dry run is requested', async () => {
  const options = { parameters: parametersOf('models') };
  expect(await previewStart(app, 'catalog.yaml', options)).toMatchObject({
    isChosen: false,
    chosenPreview: null,
    emptyResult: null,
  });
  const preview = await previewStart(app, 'catalog.yaml', { ...options, dryRun: true });
  expect(preview.shape).toMatchObject({
    schema: 'renderline/run-preview/v1',
    dryRun: true,
    selection: null,
    preview: { chosen: 2 },
  });
});

test('selected assets and limits are previewed, because a person confirms them', async () => {
  const options = { parameters: parametersOf('models'), limits: { requests: '1000' } };
  const only = await previewStart(app, 'catalog.yaml', { ...options, selection: { only: ['a*'] } });
  expect(only).toMatchObject({
    isChosen: true,
    selection: { only: ['a*'] },
    limits: { requests: 1_000 },
    chosenPreview: { chosen: 1 },
  });
});

test('a selection without a match fails with a command that lists all keys', async () => {
  const options = { parameters: parametersOf('models') };
  const none = previewStart(app, 'catalog.yaml', { ...options, selection: { only: ['shoe*'] } });
  await expect(none).rejects.toMatchObject({
    fix: expect.stringContaining('renderline run FILE --force --dry-run --json'),
  });
  const force = { ...options, selection: { force: true as const }, dryRun: true };
  expect((await previewStart(app, 'catalog.yaml', force)).shape.preview?.keys).toEqual(['a', 'b']);
});

test.each<[string, string, Record<string, string>, string, RegExp]>([
  [
    'of the run',
    '',
    { renders: '1' },
    '--limit renders allows 1, but the plan needs 2',
    /^Raise --limit/,
  ],
  [
    'of the file',
    '1',
    {},
    'limits.renders allows 1, but the plan needs 2',
    /^Raise `limits` in the file/,
  ],
  [
    'of the file, which is stricter',
    '1',
    { renders: '9' },
    'limits.renders allows 1, but the plan',
    /in the file/,
  ],
])('the error identifies the limit %s', async (_what, ofFile, limits, line, fix) => {
  if (ofFile !== '')
    writeFileSync(join(cwd, 'catalog.yaml'), `${catalog}\nlimits: { renders: ${ofFile} }\n`);
  const parameters = parametersOf('models');
  const selection = { force: true as const };
  await expect(
    previewStart(app, 'catalog.yaml', { parameters, selection, limits }),
  ).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining(line),
    fix: expect.stringMatching(fix),
  });
});

test.each([
  ['NOTHING_CHOSEN', { selection: { only: ['shoe*'] } }],
  ['LIMIT_EXCEEDED', { limits: { requests: '1' } }],
  ['BAD_NUMBER', { limits: { inFlight: '1' } }],
  ['USAGE', { host: 'a-far-host', dryRun: true }],
])('a start fails with %s for %j', async (code, options) => {
  const start = previewStart(app, 'catalog.yaml', {
    parameters: parametersOf('models'),
    ...options,
  });
  await expect(start).rejects.toMatchObject({ code });
});

test('a run with limits starts if nothing is due except a withdrawal', async () => {
  const withdrawing = catalog.replace('naming:', 'withdrawn: delete\n      naming:');
  writeFileSync(join(cwd, 'catalog.yaml'), withdrawing);
  const parameters = parametersOf('models');
  const size = { bytes: 1, width: 1, height: 1, sha256: '' };
  await endRun(app, 'catalog.yaml', parameters, (key, { steps }) => {
    const delivery = steps.find((step) => step.delivery !== undefined)?.delivery ?? '';
    const files = [{ key, path: `${key}.png`, ...size, output: 'o', delivery }];
    return { outcome: 'complete', files };
  });
  const options = { parameters, limits: { renders: '9' } };
  const unchanged = await startPipeline(app, 'catalog.yaml', options);
  expect(unchanged.shape).toMatchObject({ preview: { assets: 0, withdraws: { assets: 0 } } });
  rmSync(join(cwd, 'models/b.glb'));
  await expect(startPipeline(app, 'catalog.yaml', options)).rejects.toMatchObject({
    code: 'PLATFORM_NOT_SET',
  });
});

test('a run with limits starts if all files are refused, because the run reports them as failed', async () => {
  for (const name of ['a', 'b']) writeFileSync(join(cwd, `models/${name}.glb`), 'no model');
  for (const name of ['a', 'b']) utimesSync(join(cwd, `models/${name}.glb`), 0, 0);
  const options = { parameters: parametersOf('models'), limits: { renders: '9' } };
  const preview = await previewStart(app, 'catalog.yaml', options);
  expect(preview.chosenPreview).toMatchObject({ assets: 0, refused: 2 });
  await expect(startPipeline(app, 'catalog.yaml', options)).rejects.toMatchObject({
    code: 'PLATFORM_NOT_SET',
  });
});

test('a dry run may exceed the limits', async () => {
  const options = { parameters: parametersOf('models'), limits: { requests: '1' }, dryRun: true };
  expect((await previewStart(app, 'catalog.yaml', options)).limits).toEqual({ requests: 1 });
});
