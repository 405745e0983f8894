// Shards that are still open though their run is not, and what broken shards had written.
import { firstFitting } from '../src/plan/bytes.ts';
import type { ShardCount } from '../src/plan/contract.ts';
import type { ShardOf } from '../src/plan/step-contract.ts';
import type { ClosedShardsInput, EndStraysInput } from '../src/plan/strays-contract.ts';
import { noTotals } from '../src/plan/totals.ts';
import type { Failure } from '../src/plan/types.ts';
import { mapBounded } from '../src/store/objects/bounded.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';

/** Queries to Temporal in flight. */
const asksAtOnce = 16;
const failuresTold = { count: 20, bytes: 8_000 };

/** Terminates the shards, from this one on, that an earlier execution of the run left open when the run was reset. */
export async function endStrays(
  { context, from, count }: EndStraysInput,
  deps: Deps,
): Promise<void> {
  return bookkeeping(deps, async (signal) => {
    const found = await deps.store(context).manifest.discovery();
    const behind = Math.max((found?.pages ?? 0) - from, 0);
    const shards = Array.from({ length: count ?? behind }, (_, index) => from + index);
    await mapBounded(shards, (shard) => deps.workflows.endStray(context.run, shard), {
      atOnce: asksAtOnce,
      signal,
    });
  });
}

/** The given shards of a run that are closed. */
export async function closedShards(
  { context, shards }: ClosedShardsInput,
  deps: Deps,
): Promise<number[]> {
  return bookkeeping(deps, async (signal) => {
    const closed: number[] = [];
    const look = async (shard: number) => {
      if (!(await deps.workflows.shardIsOpen(context.run, shard))) closed.push(shard);
    };
    await mapBounded(shards, look, { atOnce: asksAtOnce, signal });
    return closed.sort((a, b) => a - b);
  });
}

/** Counts how the assets of a broken shard ended before it broke, and reads why it broke. */
export async function countShard({ context, shard }: ShardOf, deps: Deps): Promise<ShardCount> {
  return bookkeeping(deps, async () => {
    const why = await deps.workflows.whyEnded(context.run, shard);
    const { results } = deps.store(context);
    const parts = (await results.parts(context.run)).get(shard) ?? [];
    const totals = noTotals();
    const failures: Failure[] = [];
    for (const { outcome, failure } of (await results.readShard(context.run, parts)).values()) {
      totals.total += 1;
      totals[outcome === 'cancelled' ? 'skipped' : outcome] += 1;
      if (failure) failures.push(failure);
    }
    return { totals, failures: firstFitting(failures, failuresTold), why };
  });
}
