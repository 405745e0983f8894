// Estimates the remaining cost of a run that waits for approval: the cost of the assets in its manifest that it has not
// started.

import { openConnector } from '../../connectors/index.ts';
import type { Estimate } from '../../engine/cost/step-cost.ts';
import { estimate } from '../../features/estimate.ts';
import { openRunStore } from '../../features/run-store.ts';
import type { Discovery, RunStart } from '../../plan/contract/contract.ts';
import { shardsOfCanary } from '../../plan/contract/sharding.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { RunSnapshot } from './run-snapshot.ts';

export type RemainingWork = Pick<Estimate, 'requests' | 'renders' | 'max'>;

/**
 * @param start input of the run; null if the server no longer has it
 * @returns null if the cost cannot be estimated here
 */
export async function estimateRemainingWork(
  { run, memo }: RunSnapshot,
  start: RunStart | null,
  found: Discovery,
): Promise<RemainingWork | null> {
  const first = start === null ? null : shardsOfCanary(found, start.plan);
  if (start === null || memo === null || first === null) return null;
  const { plan } = start;
  const context = { run, lineage: run, pipeline: memo.pipeline, recipe: '' };
  const shards = Array.from({ length: found.pages - first }, (_, index) => first + index);
  try {
    const { manifest } = openRunStore(openConnector(memo.records), context);
    const assets = (await mapBounded(shards, (shard) => manifest.page(shard))).flat();
    // There is no manifest on this machine, so there are no assets to estimate.
    return assets.length === 0 ? null : estimate(plan, { assets }, null);
  } catch {
    // Unreachable records must not prevent an approval.
    return null;
  }
}
