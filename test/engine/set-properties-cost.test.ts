// The requests that `plan` counts for values of properties, compared with those that a run sends to a sandbox.
import { beforeAll, expect, it } from 'vitest';
import { RequestCounter } from '../../src/api/request-counter.ts';
import type { FoundAsset } from '../../src/engine/cost/found-work.ts';
import { createPollerContext } from '../../src/engine/polling/poller-context.ts';
import { estimate } from '../../src/features/estimate.ts';
import type { PropertyOptions } from '../../src/features/set-properties/desired-properties.ts';
import {
  lookUpProperties,
  setProperties,
} from '../../src/features/set-properties/write-properties.ts';
import { chunks } from '../../src/plan/helpers/chunks.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { storesOver } from '../store/_store.ts';
import { nodeContext, runContext } from './_context.ts';
import { useWorkspace } from './_workspace.ts';

const workspace = useWorkspace();
const batch = 50;
/** Two batches and a few more. */
const keys = Array.from({ length: 120 }, (_, index) => `folder-${index % 4}/${index}`);
const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `Style ${index}`);
let modelIds: Record<string, string> = {};

beforeAll(async () => {
  const { at } = workspace;
  modelIds = await at.models(keys);
  await at.client.createProperty({ body: { name: 'Note', type: 'TEXT' } as never });
  for (const name of namesOf(90)) await at.set('assets', { assetType: 'STYLE', name });
}, 60_000);

const found = (): FoundAsset[] =>
  keys.map((key) => ({
    key,
    source: { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version: '1-1' },
    reason: 'new',
  }));

/** The requests of a run whose batches are sent one after another. */
async function requestsOfRun(options: PropertyOptions): Promise<number> {
  const { client } = workspace.at;
  const requests = new RequestCounter();
  const context = nodeContext({
    client,
    pollerContext: createPollerContext(client),
    requests,
    now: Date.now,
    run: runContext({ run: `run-${Math.random()}` }),
    step: { id: 'mark', node: 'mark', batch, retry: null },
    store: storesOver()('run-1'),
  });
  await lookUpProperties(options, context);
  const assets = found().map((asset) => ({
    ...asset,
    platformIds: { modelId: modelIds[asset.key] ?? '' },
  }));
  for (const some of chunks(assets, batch)) {
    const results = await setProperties(options, some, context);
    expect(results.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  }
  return Object.values(requests.byOperation).reduce((sum, count) => sum + count, 0);
}

it.each<[what: string, options: Partial<PropertyOptions>]>([
  ['equal values', { values: { Note: 'one' } }],
  ['values that differ by folder', { values: { Note: 'two {{ asset.folder }}' } }],
  ['values that differ by asset', { values: { Note: 'three {{ asset.name }}' } }],
  ['a value that only the run knows', { values: { Note: 'four {{ model.id }}' } }],
  ['one name', { names: ['Style 0'], values: { Note: 'five' } }],
  ['ninety names', { names: namesOf(90), values: { Note: 'six' } }],
  [
    'one name for each folder',
    {
      names: ['Style {{ asset.folder.substring(7) }}'],
      values: { Note: 'seven {{ asset.folder }}' },
    },
  ],
  [
    'several names, one of which differs by folder',
    {
      names: ['Style 10', 'Style 11', 'Style 2{{ asset.folder.substring(7) }}'],
      values: { Note: 'eight' },
    },
  ],
])(
  'the plan gives an upper bound for the requests of a run with %s',
  { timeout: 60_000 },
  async (_, { names, values = {} }) => {
    const assetType = names === undefined ? 'MODEL' : 'STYLE';
    const options: PropertyOptions = { assetType, names, values, mode: 'REPLACE' };
    const config = JSON.stringify({ assetType, values, ...(names && { names }) });
    const node = `{ id: mark, type: set_properties, parentIds: [take], config: ${config} }`;
    const plan = planOf(withNodes(node));
    const step = plan.steps.map((one) => (one.node === 'mark' ? { ...one, batch } : one));
    const own = { ...plan, steps: step.filter(({ node: of }) => of === 'mark') };
    const { total, max } = estimate(own, { assets: found() }, null).requests;
    const sent = await requestsOfRun(options);
    expect([total, sent, max]).toEqual([total, sent, max].toSorted((a, b) => a - b));
  },
);
