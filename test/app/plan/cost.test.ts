// All previews show the same cost of the same assets, including requests for a table.
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { planPipeline } from '../../../src/app/plan/plan-pipeline.ts';
import { previewAssets } from '../../../src/app/plan/preview-assets.ts';
import { estimateRerun } from '../../../src/app/rerun/rerun.ts';
import { previewStart } from '../../../src/app/runs/start-pipeline.ts';
import { folderWith } from '../../cli/_folder.ts';
import { triangleGlb } from '../../glb/_make-glb.ts';

const rows = Array.from({ length: 30 }, (_, index) => `Colour ${index},186 C,#c8102e`);
const files = {
  'models/a.glb': triangleGlb(),
  'models/b.glb': triangleGlb(),
  'out/colours.csv': ['name,code,hex', ...rows].join('\n'),
  'trial.yaml': `name: trial
connectors:
  models: { type: local, path: ./models }
  pictures: { type: local, path: ./out }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: colours, type: pantone, parentIds: [ready], config: { table: { connector: pictures, path: colours.csv } } }
  - { id: shots, type: render, parentIds: [colours] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`,
};

test('a plan, a dry run and a rerun show the same cost', async () => {
  const app = new App({ env: {}, cwd: folderWith(files) });
  const { plan, shape } = await planPipeline(app, 'trial.yaml');
  const { requests, renders, max, seconds } = shape;
  expect(requests.byOperation).toMatchObject({ createPantoneMaterial: 30 });
  const cost = { requests: requests.total, maxRequests: requests.max, renders, max, seconds };
  const { chosenPreview } = await previewStart(app, 'trial.yaml', { dryRun: true });
  expect(chosenPreview).toMatchObject(cost);
  expect(await estimateRerun(app, plan, await previewAssets(app, plan))).toEqual(cost);
});
