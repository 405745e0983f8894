// Remaining cost of a run that waits for approval.
import { expect, test } from 'vitest';
import { estimateRemainingWork } from '../../../src/app/approvals/approval.ts';
import type { RunSnapshot } from '../../../src/app/runs/run-snapshot.ts';
import { compileText } from '../../../src/compile/compile.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import { withCostConfigs } from '../../../src/features/cost-config.ts';
import { estimate } from '../../../src/features/estimate.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import type { RunStart } from '../../../src/plan/contract/contract.ts';
import { folderWith } from '../../cli/_folder.ts';
import { manifestAsset } from '../../store/_store.ts';

const text = `name: shop
canary: { assets: 2 }
connectors: { models: { type: local, path: in }, pictures: { type: local, path: out } }
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: colours, type: pantone, parentIds: [ready], config: { table: { connector: pictures, path: colours.csv } } }
  - { id: shots, type: render, parentIds: [colours] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;
const assets = ['a', 'b', 'c', 'd', 'e'].map((key) => manifestAsset(key));
const run = 'shop-1';

async function world() {
  const folder = folderWith({ 'out/colours.csv': 'name,code,hex\nRed,186 C,#c8102e\n' });
  const options = { cwd: folder, fileFolder: folder, environment: {}, parameters: {} };
  const { plan } = compileText(text, 'shop.yaml', options);
  if (!plan) throw new Error('the pipeline is not valid');
  const { pipeline, file, records, destination } = plan;
  const store = openRunStore(openConnector(records), { run, lineage: run, pipeline, recipe: '' });
  const counts = { total: 5, new: 5, changed: 0, unchanged: 0 };
  const found = await store.runAssets.write({ ...plan, assets, shardSize: 2, counts, refused: [] });
  const memo = { pipeline, file, records, destination, steps: [] };
  // The tested code reads only these two fields.
  const snapshot = { run, memo } as unknown as RunSnapshot;
  const start: RunStart = { plan: { ...plan, shardSize: 2 }, epoch: 0, searchable: false };
  return { plan, found, snapshot, start };
}

test('the remaining work is the estimate for assets that have not started', async () => {
  const { plan, found, snapshot, start } = await world();
  const left = estimate(
    await withCostConfigs(plan, openConnector),
    { assets: assets.slice(2) },
    null,
  );
  expect(left).toMatchObject({
    renders: 3,
    requests: { byOperation: { createPantoneMaterial: 1 } },
  });
  expect(await estimateRemainingWork(snapshot, start, found)).toEqual(left);
});

test('the remaining work is unknown without the plan, or without access to the records', async () => {
  const { found, snapshot, start } = await world();
  expect(await estimateRemainingWork(snapshot, null, found)).toBeNull();
  const away = { type: 'local', path: '/nonexistent/records' };
  const memo = snapshot.memo && { ...snapshot.memo, records: away };
  expect(await estimateRemainingWork({ ...snapshot, memo }, start, found)).toBeNull();
});
