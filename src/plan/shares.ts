// How what a run found is shared out: to its shards, and to none. Pure.
import type { Discovery, Totals } from './contract.ts';
import type { Plan } from './types.ts';

type Found = Pick<Discovery, 'pages' | 'total' | 'new' | 'changed' | 'refused'>;

/** What decides it: the canary has shards of its own, the first ones. */
export type Sharing = Pick<Plan, 'shardSize' | 'canary'>;

/** Assets that go to shards: what is unchanged, refused or still changing goes to none. */
export function toDoOf({ new: fresh, changed }: Pick<Found, 'new' | 'changed'>): number {
  return fresh + changed;
}

/** Assets that the run has to do with, refused ones included. */
export function takenOf(found: Found): number {
  return toDoOf(found) + found.refused;
}

/** Where the assets of a shard begin, in the order of the manifest; the shard before ends there. */
export function startOfShard({ shardSize, canary }: Sharing, shard: number): number {
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

/** Shards of the canary; null where it is all that there is to do, or the plan has none. */
export function shardsOfCanary(found: Found, { shardSize, canary }: Sharing): number | null {
  if (!canary || toDoOf(found) <= canary.assets) return null;
  return Math.ceil(canary.assets / shardSize);
}

/** Assets of one shard; the last one has fewer. */
export function sizeOfShard(found: Found | null, sharing: Sharing, shard: number): number {
  const toDo = found ? toDoOf(found) : 0;
  const end = Math.min(startOfShard(sharing, shard + 1), toDo);
  return Math.max(0, end - startOfShard(sharing, shard));
}

/** Files that go to no shard: refused ones have failed; unchanged and still changing ones are passed over. */
export function untakenTotals(found: Found): Totals {
  const untaken = found.total - toDoOf(found);
  const failed = found.refused;
  return { total: untaken, complete: 0, failed, skipped: untaken - failed };
}

/** Assets of shards from this one on: passed over by a run that stops before them. */
export function unstartedTotals(found: Found, sharing: Sharing, firstShard: number): Totals {
  const total = Math.max(0, toDoOf(found) - startOfShard(sharing, firstShard));
  return { total, complete: 0, failed: 0, skipped: total };
}
