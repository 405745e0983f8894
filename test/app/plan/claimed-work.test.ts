// What a plan counts for assets that an earlier run has worked on without delivering them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { compilePipeline } from '../../../src/app/compile-pipeline.ts';
import { assertWithinLimits } from '../../../src/app/plan/limits.ts';
import { planPipeline } from '../../../src/app/plan/plan-pipeline.ts';
import { previewAssets } from '../../../src/app/plan/preview-assets.ts';
import { estimateRerun } from '../../../src/app/rerun/rerun.ts';
import type { PlatformIds } from '../../../src/plan/platform-ids.ts';
import { folderWith } from '../../cli/_folder.ts';
import { triangleGlb } from '../../glb/_make-glb.ts';
import { endRun } from './_earlier-run.ts';

const file = 'trial.yaml';
const pipelineWith = (quality: number) => `name: trial
connectors:
  models: { type: local, path: ./models }
  pictures: { type: local, path: ./out }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready], config: { settings: { imageQuality: ${quality} } } }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;

/** A model with one slot. */
const painted = triangleGlb((json) => ({
  ...json,
  materials: [{ name: 'body' }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
}));

let cwd: string;
let app: App;

beforeEach(() => {
  cwd = folderWith({
    'models/a.glb': painted,
    'models/b.glb': painted,
    'out/.keep': '',
    [file]: pipelineWith(1),
  });
  app = new App({ env: {}, cwd });
});

const output = { name: 'Front', fileType: 'PNG', isVideo: false, isPreview: false };
const uploaded: PlatformIds = { modelId: 'm' };
const composed: PlatformIds = { ...uploaded, projectId: 'p' };
const rendered: PlatformIds = {
  ...composed,
  jobId: 'j',
  outputs: [
    { ...output, id: 'o1' },
    { ...output, id: 'o2' },
    { ...output, id: 'o3', fileType: 'MP4', isVideo: true },
  ],
};

/** The steps that the next run repeats, its renders and its files. */
async function nextRun() {
  const { shape } = await planPipeline(app, file);
  const { steps, renders, files } = shape;
  return { steps: steps.flatMap(({ id, assets }) => (assets > 0 ? id : [])), renders, files };
}

const failing = (platformIds: PlatformIds) => () => ({ outcome: 'failed', platformIds }) as const;

const all = ['take', 'ready', 'shots.project', 'shots', 'shots.wait', 'deliver'];
const onePicture = { total: 2, min: true };

test.each([
  ['nothing', {}, all, 2, onePicture],
  ['an upload', uploaded, all.slice(2), 2, onePicture],
  ['a project', composed, all.slice(3), 2, onePicture],
  ['a failed render', { ...composed, jobId: 'j', failedJob: true }, all.slice(3), 2, onePicture],
  ['a finished render', rendered, ['deliver'], 0, { total: 6, min: false }],
])(
  'a plan continues assets with %s where they stopped',
  async (_what, ids, steps, renders, files) => {
    await endRun(app, file, {}, failing(ids));
    expect(await nextRun()).toEqual({ steps, renders, files });
  },
);

test('an asset that a condition has skipped is not uploaded again', async () => {
  await endRun(app, file, {}, () => ({ outcome: 'skipped', platformIds: uploaded }));
  expect((await nextRun()).steps).toEqual(all.slice(2));
});

test('after a change of the pipeline, a plan continues at the first stage that has changed', async () => {
  await endRun(app, file, {}, failing(rendered));
  writeFileSync(join(cwd, file), pipelineWith(2));
  expect(await nextRun()).toEqual({ steps: all.slice(3), renders: 2, files: onePicture });
});

test('a changed file is uploaded again', async () => {
  await endRun(app, file, {}, failing(rendered));
  writeFileSync(join(cwd, 'models/a.glb'), triangleGlb());
  expect((await nextRun()).renders).toBe(1);
});

test('an asset whose new version failed continues, although an earlier version was delivered', async () => {
  await endRun(app, file, {}, () => ({ outcome: 'complete', platformIds: rendered }));
  writeFileSync(join(cwd, file), pipelineWith(2));
  await endRun(app, file, {}, failing(rendered), 'second');
  expect(await nextRun()).toMatchObject({ steps: ['deliver'], renders: 0 });
});

test('assets that are forced are not uploaded again', async () => {
  await endRun(app, file, {}, () => ({ outcome: 'complete', platformIds: rendered }));
  const { shape } = await planPipeline(app, file, {
    selection: { force: true },
    limits: { models: '1', storage: '1B' },
  });
  expect([shape.renders, shape.excess]).toEqual([2, []]);
});

test('the model of a new colorway is not uploaded again', async () => {
  const colorways = '{ colorways: { table: { connector: models, path: colours.csv } } }';
  const grid = pipelineWith(1).replace(
    '  - { id: shots, type: render, parentIds: [ready]',
    `  - { id: colours, type: variant, parentIds: [ready], config: ${colorways} }
  - { id: shots, type: render, parentIds: [colours]`,
  );
  const writeTable = (...names: string[]) => {
    const rows = names.flatMap((name) => ['a', 'b'].map((key) => `${key},${name},body,${name}`));
    writeFileSync(
      join(cwd, 'models/colours.csv'),
      ['model,colorway,slot,material', ...rows].join('\n'),
    );
  };
  writeFileSync(join(cwd, file), grid);
  writeTable('Oak');
  await endRun(app, file, {}, () => ({ outcome: 'complete', platformIds: rendered }));
  writeTable('Oak', 'Ash');
  const { shape } = await planPipeline(app, file, { limits: { models: '1', storage: '1B' } });
  expect([shape.assets.new, shape.renders, shape.excess]).toEqual([2, 2, []]);
});

test('the preview of a rerun and the limits count only the remaining work', async () => {
  await endRun(app, file, {}, failing(rendered));
  const { plan } = await compilePipeline(app, file, {});
  const assetPreview = await previewAssets(app, plan);
  expect(await estimateRerun(app, plan, assetPreview)).toMatchObject({ renders: 0 });
  const limits = { renders: 1, models: 1, projects: 1, storage: '1B' };
  await assertWithinLimits(app, plan, { limits });
  await assertWithinLimits(app, plan, { limits }, assetPreview);
});
