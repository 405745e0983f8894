// Activities that end orphaned shards, list closed shards, and count the results of broken shards.

import type { ShardCount } from '../../src/plan/contract/contract.ts';
import type {
  ClosedShardsInput,
  EndOrphanedChildrenInput,
} from '../../src/plan/contract/orphaned-children-contract.ts';
import { takeFitting } from '../../src/plan/helpers/bytes.ts';
import type { ShardAddress } from '../../src/plan/shard/step-contract.ts';
import { createTotals } from '../../src/plan/shard/totals.ts';
import type { Failure } from '../../src/plan/types.ts';
import { mapBounded } from '../../src/store/objects/map-bounded.ts';
import type { Deps } from '../deps.ts';
import { runEngineActivity } from '../run-engine-activity.ts';

const maxConcurrentQueries = 16;
const maxReportedFailures = { count: 20, bytes: 8_000 };

/**
 * Terminates open shards that the run no longer follows, for example after a reset: `count` shards from `firstShard`
 * on, or all later ones.
 */
export async function endOrphanedChildren(
  { context, firstShard, count }: EndOrphanedChildrenInput,
  deps: Deps,
): Promise<void> {
  return runEngineActivity(deps, async (signal) => {
    const discovery = await deps.storeOf(context).runAssets.readDiscovery();
    const length = count ?? Math.max((discovery?.pages ?? 0) - firstShard, 0);
    const shards = Array.from({ length }, (_, index) => firstShard + index);
    await mapBounded(shards, (shard) => deps.workflows.terminateOrphan(context.run, shard), {
      maxConcurrent: maxConcurrentQueries,
      signal,
    });
  });
}

/** Returns the closed shards among the given shards, in ascending order. */
export async function listClosedShards(
  { context, shards }: ClosedShardsInput,
  deps: Deps,
): Promise<number[]> {
  return runEngineActivity(deps, async (signal) => {
    const closedShards: number[] = [];
    const check = async (shard: number) => {
      if (!(await deps.workflows.isShardOpen(context.run, shard))) closedShards.push(shard);
    };
    await mapBounded(shards, check, { maxConcurrent: maxConcurrentQueries, signal });
    return closedShards.sort((a, b) => a - b);
  });
}

/** Counts how the assets of a broken shard ended before it broke, and reads why it was closed from outside. */
export async function countShard(
  { context, shard }: ShardAddress,
  deps: Deps,
): Promise<ShardCount> {
  return runEngineActivity(deps, async () => {
    const reason = await deps.workflows.readShardCloseReason(context.run, shard);
    const { results } = deps.storeOf(context);
    const parts = (await results.parts(context.run)).get(shard) ?? [];
    const totals = createTotals();
    const failures: Failure[] = [];
    for (const { outcome, failure } of (await results.readShard(context.run, parts)).values()) {
      totals.total += 1;
      totals[outcome === 'cancelled' ? 'skipped' : outcome] += 1;
      if (failure) failures.push(failure);
    }
    return { totals, failures: takeFitting(failures, maxReportedFailures), reason };
  });
}
