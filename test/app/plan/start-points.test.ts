// Where the next run starts each asset after a change of the pipeline, and what the run pays for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { planPipeline } from '../../../src/app/plan/plan-pipeline.ts';
import { folderWith } from '../../cli/_folder.ts';
import { triangleGlb } from '../../glb/_make-glb.ts';
import { endRun } from './_earlier-run.ts';

const file = 'trial.yaml';
const pipelineWith = (seat: string) => `name: trial
parameters: { template: { type: string, default: Studio White } }
connectors:
  models: { type: local, path: ./models }
  pictures: { type: local, path: ./out }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
${seat}
  - { id: look, type: template_match, parentIds: [${seat === '' ? 'ready' : 'colours'}], config: { default: "\${{ params.template }}" } }
  - { id: shots, type: render, parentIds: [look] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures, naming: "{{ key }}.{{ ext }}" } }
  - { id: ar, type: export, parentIds: [deliver], config: { connector: pictures, what: [models], naming: "ar/{{ key }}.{{ ext }}" } }
`;
const coloursWith = (material: string) => `
  - id: colours
    type: variant
    parentIds: [ready]
    config:
      colorways:
        - { name: Summer, swapRules: [{ matchText: body, matchMode: exact, material: ${material} }] }
        - { name: Winter, swapRules: [{ matchText: body, matchMode: exact, material: Wool }] }
`;

const painted = triangleGlb((json) => ({
  ...json,
  materials: [{ name: 'body' }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
}));
const output = { id: 'o', name: 'Front', fileType: 'PNG', isVideo: false, isPreview: false };
const uploaded = { modelId: 'm', modelFiles: [] };
const rendered = { ...uploaded, projectId: 'p', jobId: 'j', outputs: [output] };

let cwd: string;
let app: App;

beforeEach(() => {
  cwd = folderWith({ 'models/a.glb': painted, 'out/.keep': '', [file]: pipelineWith('') });
  app = new App({ env: {}, cwd });
});

let runs = 0;

const rewrite = (colours: string) => writeFileSync(join(cwd, file), pipelineWith(colours));

async function endNextRun(
  parameters: Record<string, string> = {},
  outcome: 'complete' | 'failed' = 'complete',
) {
  runs += 1;
  const platformIds = outcome === 'complete' ? rendered : uploaded;
  await endRun(app, file, parameters, () => ({ outcome, platformIds }), `run-${runs}`);
}

/** The start stages of the next run, and what it pays for or downloads. */
async function nextRun(parameters: Record<string, string> = {}) {
  const { shape } = await planPipeline(app, file, { parameters });
  const { startPoints, renders, requests } = shape;
  const { createJob = 0, downloadModel = 0 } = requests.byOperation;
  return {
    starts: startPoints.map(({ startStage, assets }) => [startStage, assets]),
    renders,
    createJob,
    downloadModel,
  };
}

const warm = { template: 'Warm Floor' };
const atProject = { starts: [['composition', 1]], renders: 1, createJob: 0, downloadModel: 0 };
const atDelivery = { starts: [['delivery', 1]], renders: 0, createJob: 0, downloadModel: 0 };

it('another template renders again, and going back to the first one renders nothing', async () => {
  await endNextRun();
  expect(await nextRun(warm)).toEqual(atProject);
  await endNextRun(warm);
  expect(await nextRun()).toEqual(atDelivery);
});

it('going back renders again if a run has lost the earlier work', async () => {
  await endNextRun();
  await endNextRun(warm);
  await endNextRun({}, 'failed');
  expect(await nextRun()).toEqual(atProject);
});

it('another material of one colorway renders that colorway from the uploaded model', async () => {
  rewrite(coloursWith('Linen'));
  await endNextRun();
  rewrite(coloursWith('Silk'));
  expect(await nextRun()).toEqual(atProject);
  await endNextRun();
  rewrite(coloursWith('Linen'));
  expect(await nextRun()).toEqual(atDelivery);
});
