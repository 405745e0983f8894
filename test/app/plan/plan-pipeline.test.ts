// The plan of a pipeline as data: assets, steps, refusals and limits.
import { expect, it } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { type PlanOptions, planPipeline } from '../../../src/app/plan/plan-pipeline.ts';
import { formatWarning } from '../../../src/app/plan/plan-remarks.ts';
import type { Environment } from '../../../src/settings/environment.ts';
import type { TemporalConnection } from '../../../src/temporal/connection/connect.ts';
import { folderWith } from '../../cli/_folder.ts';
import { triangleGlb } from '../../glb/_make-glb.ts';

const pipeline = `name: trial
connectors:
  models: { type: local, path: ./models }
  pictures: { type: local, path: ./out }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready], when: 'asset.key != "b"' }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;

async function plan(options: PlanOptions = {}, env: Environment = {}, knownRun?: string) {
  const models = Object.fromEntries(['b', 'c'].map((key) => [`models/${key}.glb`, triangleGlb()]));
  const cwd = folderWith({ 'trial.yaml': pipeline, 'models/a.glb': 'text', ...models });
  const notes: string[] = [];
  const app = new App({ env, cwd, onNote: (text) => notes.push(text) });
  if (knownRun !== undefined) {
    const { plan: renderline } = await planPipeline(app, 'trial.yaml');
    app.temporal = temporalWith({ workflowId: knownRun, memo: { renderline } });
  }
  return { ...(await planPipeline(app, 'trial.yaml', options)), notes };
}

it('a refused file reaches no step, and the conditions of the other files still apply', async () => {
  const { shape, unit, chosenPreview, notes } = await plan();
  expect(shape.assets).toMatchObject({ total: 3, new: 2, refused: 1 });
  expect(shape.refusals).toMatchObject([{ key: 'a', code: 'NOT_A_GLB' }]);
  expect(shape.steps.map(({ id, assets }) => [id, assets])).toEqual([
    ['take', 2],
    ['ready', 2],
    ['shots.project', 1],
    ['shots', 1],
    ['shots.wait', 1],
    ['deliver', 1],
  ]);
  expect([shape.renders, shape.excess, unit, chosenPreview, notes]).toEqual([
    1,
    [],
    'file',
    null,
    [],
  ]);
});

it('a selection is summarized, and the stricter limit applies', async () => {
  const { shape, chosenPreview } = await plan({
    selection: { only: ['c'] },
    limits: { requests: '1' },
  });
  expect([shape.selection, chosenPreview]).toMatchObject([
    { only: ['c'] },
    { assets: 1, keys: ['c'] },
  ]);
  expect(shape.excess).toMatchObject([{ limit: 'requests', allowed: 1, ofRun: true }]);
});

it('a warning is printed on one line, even if its key contains a line break', () => {
  const shown = formatWarning({ key: 'a\nerror b', message: 'is large' });
  expect(shown).toBe('warning a\\nerror b: is large');
});

/** A connection to a Temporal server that lists this run. */
function temporalWith(run: { workflowId: string; memo: object }): TemporalConnection {
  async function* list() {
    yield run;
  }
  const client = {
    options: { loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
    withAbortSignal: (_signal: AbortSignal, work: () => Promise<unknown>) => work(),
    workflow: { list },
  };
  return { client } as unknown as TemporalConnection;
}

it.each<[string, Environment, string | undefined, string]>([
  ['are missing', {}, 'trial-1', 'where its run trial-1 stored them'],
  ['may be missing', { TEMPORAL_ADDRESS: '127.0.0.1:1' }, undefined, 'Temporal did not say'],
])('a plan notes that records %s, so that it may count finished work as new', async (...row) => {
  const { notes } = await plan({}, row[1], row[2]);
  expect(notes).toMatchObject([expect.stringContaining(row[3])]);
});

it('a selection without a match is an error', async () => {
  const refused = plan({ selection: { only: ['d'] } });
  await expect(refused).rejects.toMatchObject({ code: 'NOTHING_CHOSEN' });
});
