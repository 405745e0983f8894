// A run of a pipeline that has ended, without a worker: the test decides how each asset ended.

import { RequestCounter } from '../../../src/api/request-counter.ts';
import type { App } from '../../../src/app/app.ts';
import { compilePipeline } from '../../../src/app/compile-pipeline.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import { openDiscoverySource } from '../../../src/features/discovery-source.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import type { FinalizedAsset } from '../../../src/plan/contract/contract.ts';
import type { Plan } from '../../../src/plan/types.ts';
import { discoverRun } from '../../../src/store/discovery/discover-run.ts';
import { finalizePart } from '../../../src/store/runs/finalize-part.ts';
import { openShard } from '../../../src/store/runs/open-shard.ts';
import { settledAs } from '../../store/_store.ts';

type Ending = Partial<FinalizedAsset> & Pick<FinalizedAsset, 'outcome'>;

export async function endRun(
  app: App,
  file: string,
  parameters: Readonly<Record<string, string>>,
  endingOf: (key: string, plan: Plan) => Ending,
  name = 'earlier',
): Promise<void> {
  const { plan } = await compilePipeline(app, file, parameters);
  const { pipeline, recipe } = plan;
  const context = { run: name, lineage: name, pipeline, recipe };
  const store = openRunStore(openConnector(plan.records), context);
  const source = await openDiscoverySource(plan, {
    open: openConnector,
    ids: null,
    mayWrite: true,
    rerunSelection: null,
    client: () => {
      throw new TypeError('the pipeline takes files');
    },
    requests: new RequestCounter(),
    now: () => app.now(),
    signal: app.signal,
  });
  const run = { ...source, parameters: plan.parameters, shardSize: 100 };
  const { pages } = await discoverRun(store, run);
  for (let shard = 0; shard < pages; shard += 1) {
    const { assets } = await openShard(store, shard, { isAlive: async () => false });
    const finalized = assets.map((asset) => {
      const { outcome, ...fields } = endingOf(asset.key, plan);
      return settledAs(outcome, asset, fields);
    });
    await finalizePart(store, { shard, part: 0, finalized });
  }
}
