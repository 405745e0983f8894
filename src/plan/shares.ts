// How what a run found is shared out: to its shards, and to none. Pure.
import type { Discovery } from './contract.ts';
import type { Totals } from './totals.ts';
import type { Plan } from './types.ts';

type FoundCounts = Pick<
  Discovery,
  'pages' | 'total' | 'new' | 'changed' | 'refused' | 'starts' | 'next'
>;

/** The settings that decide it: the canary has shards of its own, the first ones. */
export type Sharing = Pick<Plan, 'shardSize' | 'canary'>;

/** Assets that go to shards: unchanged, refused and still changing ones go to none. */
export function toDoOf({ new: fresh, changed }: Pick<FoundCounts, 'new' | 'changed'>): number {
  return fresh + changed;
}

/** Assets that the run has to do with, refused ones included. */
export function takenOf(found: FoundCounts): number {
  return toDoOf(found) + found.refused;
}

/** Where the assets of a shard begin, in the order of the manifest; the shard before ends there. */
export function startOfShard(
  { shardSize, canary }: Sharing,
  shard: number,
  starts?: readonly number[],
): number {
  if (starts) return starts[shard] ?? Number.MAX_SAFE_INTEGER;
  const first = canary?.assets ?? 0;
  const shardsOfCanary = Math.ceil(first / shardSize);
  if (shard <= shardsOfCanary) return Math.min(first, shard * shardSize);
  return first + (shard - shardsOfCanary) * shardSize;
}

/** Shards that so many assets fill. */
export function shardsFor(assets: number, { shardSize, canary }: Sharing): number {
  const first = Math.min(assets, canary?.assets ?? 0);
  return Math.ceil(first / shardSize) + Math.ceil((assets - first) / shardSize);
}

/**
 * Where shards begin when groups of assets that stand side by side are not parted: each has room for `shardSize`
 * assets, or for one group. The canary is the first groups that have its assets.
 */
export function startsOfGroups(
  groups: readonly number[],
  { shardSize, canary }: Sharing,
): number[] {
  const starts: number[] = [];
  const first = canary?.assets ?? 0;
  let at = 0;
  let start = 0;
  for (const size of groups) {
    const isOver = at + size - start > shardSize;
    const endsCanary = start < first && at >= first;
    if (starts.length === 0 || (at > start && (isOver || endsCanary))) {
      starts.push(at);
      start = at;
    }
    at += size;
  }
  return starts;
}

/** Shards of the canary; null where it is all that there is to do, or the plan has none. */
export function shardsOfCanary(found: FoundCounts, { shardSize, canary }: Sharing): number | null {
  if (!canary || toDoOf(found) <= canary.assets) return null;
  const { starts } = found;
  if (starts) return starts.filter((start) => start < canary.assets).length;
  return Math.ceil(canary.assets / shardSize);
}

/** Assets of one shard; the last one has fewer. */
export function sizeOfShard(found: FoundCounts | null, sharing: Sharing, shard: number): number {
  const toDo = found ? toDoOf(found) : 0;
  const starts = found?.starts;
  const end = Math.min(startOfShard(sharing, shard + 1, starts), toDo);
  return Math.max(0, end - startOfShard(sharing, shard, starts));
}

/** More than are begun at once, so that the run may outlive many of its shards. See ShardInput. */
export function isMany(
  { window, inFlight }: { window: number; inFlight?: number | undefined },
  found: FoundCounts,
): boolean {
  return inFlight !== undefined && (found.pages > window || toDoOf(found) > inFlight);
}

/** Files that go to no shard: refused ones have failed; unchanged and still changing ones are passed over. */
export function untakenTotals(found: FoundCounts): Totals {
  const untaken = found.total - toDoOf(found);
  const failed = found.refused;
  return { total: untaken, complete: 0, failed, skipped: untaken - failed };
}

/** Assets of shards from this one on: passed over by a run that stops before them. */
export function unstartedTotals(found: FoundCounts, sharing: Sharing, firstShard: number): Totals {
  const start = startOfShard(sharing, firstShard, found.starts);
  const total = Math.max(0, toDoOf(found) - start);
  return { total, complete: 0, failed: 0, skipped: total };
}
