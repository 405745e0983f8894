// What a plan says about a colorway with a new name whose files have the same names as before.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { planPipeline } from '../../../src/app/plan/plan-pipeline.ts';
import { folderWith } from '../../cli/_folder.ts';
import { triangleGlb } from '../../glb/_make-glb.ts';
import { endRun } from './_earlier-run.ts';

const file = 'trial.yaml';
const pipeline = `name: trial
connectors:
  models: { type: local, path: ./models }
  pictures: { type: local, path: ./out }
data: { products: { connector: models, path: t.csv, key: { model: Model, colorway: Colour } } }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - id: colours
    type: variant
    parentIds: [ready]
    config: { colorways: { table: { connector: models, path: t.csv, columns: { model: Model, colorway: Colour } } } }
  - { id: shots, type: render, parentIds: [colours] }
  - id: deliver
    type: export
    parentIds: [shots]
    config:
      connector: pictures
      naming: "{{ row.sku }}_{{ index }}.{{ ext }}"
      images: [{ format: JPEG, naming: "web/{{ row.sku }}.jpg" }]
      withdrawn: archive
`;
const tableOf = (...rows: string[]) =>
  ['SKU,Model,Colour,material,slot', ...rows.map((row) => `${row},body`), ''].join('\n');
const painted = triangleGlb((json) => ({
  ...json,
  materials: [{ name: 'body' }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
}));

/** The plan after two colorways were delivered and the table has been replaced. */
async function planAfter(...rows: string[]) {
  const pathsOf = (sku: string) => [`${sku}_1.png`, `web/${sku}.jpg`];
  const written = ['A1', 'A2'].flatMap((sku) => pathsOf(sku).map((path) => [`out/${path}`, sku]));
  const pictures: Record<string, string> = Object.fromEntries(written);
  const table = tableOf('A1,mug,Navy,Navy', 'A2,mug,Sand,Sand');
  const models = { 'models/mug.glb': painted, 'models/t.csv': table };
  const cwd = folderWith({ ...models, ...pictures, [file]: pipeline });
  const app = new App({ env: {}, cwd });
  await endRun(app, file, {}, (key, plan) => {
    const sku = key === 'mug@Navy' ? 'A1' : 'A2';
    const sha256 = createHash('sha256').update(sku).digest('hex');
    const [delivery = ''] = Object.keys(plan.withdrawn?.exports ?? {});
    const image = { width: 1, height: 1, output: 'o', delivery };
    const files = pathsOf(sku).map((path) => ({ key, path, bytes: 2, sha256, ...image }));
    return { outcome: 'complete', platformIds: { modelId: 'm' }, files };
  });
  writeFileSync(join(cwd, 'models/t.csv'), tableOf(...rows));
  const { shape } = await planPipeline(app, file);
  const { refusals, renders, withdraws, warnings } = shape;
  return { refusals, renders, files: withdraws?.files.map(({ path }) => path), warnings };
}

it.each([
  ['are not rendered again, if its materials are the same', 'Navy', 0],
  ['are replaced, and not archived, if its materials differ', 'Oak', 1],
])('the files of a renamed colorway %s', async (_, material, renders) => {
  expect(await planAfter(`A1,mug,Navy blue,${material}`, 'A2,mug,Sand,Sand')).toEqual({
    refusals: [],
    renders,
    files: [],
    warnings: [],
  });
});

it('the files of a removed colorway are archived', async () => {
  expect(await planAfter('A2,mug,Sand,Sand')).toEqual({
    refusals: [],
    renders: 0,
    files: ['A1_1.png', 'web/A1.jpg'],
    warnings: [],
  });
});

it('a SKU that is missing is reported with the file name', async () => {
  const { warnings } = await planAfter('A1,mug,Navy,Navy', 'A2,mug,Sand,Sand', ',mug,Red,Red');
  expect(warnings).toMatchObject([
    { message: expect.stringMatching(/row\.sku of .*t\.csv.* line 4: .*"mug@Red" .*"_\{\{ index/) },
  ]);
});
