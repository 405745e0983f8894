// Divides what a run found into shards. Pure.

import type { Totals } from '../shard/totals.ts';
import type { Plan } from '../types.ts';
import type { Discovery } from './contract.ts';

type ShardableCounts = Pick<
  Discovery,
  'pages' | 'total' | 'new' | 'changed' | 'refused' | 'starts' | 'nextDiscoveryPage'
>;

/** The plan's settings for sharding. The canary has its own shards, which are the first ones. */
export type ShardingOptions = Pick<Plan, 'shardSize' | 'canary'>;

/** Counts the assets that go to shards: all except unchanged, refused and still changing ones. */
export function countToProcess(counts: Pick<ShardableCounts, 'new' | 'changed'>): number {
  return counts.new + counts.changed;
}

/** Counts the assets that the run takes, including refused ones. */
export function countTaken(counts: ShardableCounts): number {
  return countToProcess(counts) + counts.refused;
}

/** Returns the index of a shard's first asset in the run assets, which is also the end of the previous shard. */
export function startOfShard(
  { shardSize, canary }: ShardingOptions,
  shard: number,
  starts?: readonly number[],
): number {
  if (starts) return starts[shard] ?? Number.MAX_SAFE_INTEGER;
  const first = canary?.assets ?? 0;
  const shardsOfCanary = Math.ceil(first / shardSize);
  if (shard <= shardsOfCanary) return Math.min(first, shard * shardSize);
  return first + (shard - shardsOfCanary) * shardSize;
}

export function countShards(assets: number, { shardSize, canary }: ShardingOptions): number {
  const first = Math.min(assets, canary?.assets ?? 0);
  return Math.ceil(first / shardSize) + Math.ceil((assets - first) / shardSize);
}

/**
 * Returns the index of the first asset of each shard if groups of adjacent assets must not be split. A shard has at
 * most `shardSize` assets, or one larger group. The canary consists of whole groups, so it may be larger than planned.
 * @param groups sizes of the groups
 */
export function shardStartsOfGroups(
  groups: readonly number[],
  { shardSize, canary }: ShardingOptions,
): number[] {
  const starts: number[] = [];
  const first = canary?.assets ?? 0;
  let index = 0;
  let start = 0;
  for (const size of groups) {
    const isOver = index + size - start > shardSize;
    const endsCanary = start < first && index >= first;
    if (starts.length === 0 || (index > start && (isOver || endsCanary))) {
      starts.push(index);
      start = index;
    }
    index += size;
  }
  return starts;
}

/** Returns the number of shards of the canary, or null if the plan has no canary or if the canary covers all assets. */
export function shardsOfCanary(counts: ShardableCounts, sharing: ShardingOptions): number | null {
  const { shardSize, canary } = sharing;
  if (!canary) return null;
  const { starts } = counts;
  const shards = starts
    ? starts.filter((start) => start < canary.assets).length
    : Math.ceil(canary.assets / shardSize);
  return startOfShard(sharing, shards, starts) < countToProcess(counts) ? shards : null;
}

/** Returns the number of assets in a shard, or 0 before discovery and for a shard that does not exist. */
export function sizeOfShard(
  counts: ShardableCounts | null,
  sharing: ShardingOptions,
  shard: number,
): number {
  const toDo = counts ? countToProcess(counts) : 0;
  const starts = counts?.starts;
  const end = Math.min(startOfShard(sharing, shard + 1, starts), toDo);
  return Math.max(0, end - startOfShard(sharing, shard, starts));
}

/** True if shards are left to start or find. A run with such shards may continue as new before they finish. */
export function hasManyShards(
  { window, inFlight }: Pick<Plan, 'window' | 'inFlight'>,
  counts: ShardableCounts,
): boolean {
  const isUnknown = counts.nextDiscoveryPage !== undefined;
  return isUnknown || counts.pages > window || countToProcess(counts) > inFlight;
}

/** Counts sources that go to no shard: refused ones as failed, and unchanged and changing ones as skipped. */
export function unshardedTotalsOf(counts: ShardableCounts): Totals {
  const untaken = counts.total - countToProcess(counts);
  const failed = counts.refused;
  return { total: untaken, complete: 0, failed, skipped: untaken - failed };
}

/** Returns the totals of the assets that a run skips if it stops before `firstShard`. */
export function countSkipped(
  counts: ShardableCounts,
  sharing: ShardingOptions,
  firstShard: number,
): Totals {
  const start = startOfShard(sharing, firstShard, counts.starts);
  const total = Math.max(0, countToProcess(counts) - start);
  return { total, complete: 0, failed: 0, skipped: total };
}
