// How what a run found is shared out: to its shards, and to none. Pure.
import type { Discovery, Totals } from './contract.ts';

type Found = Pick<Discovery, 'pages' | 'total' | 'new' | 'changed' | 'refused'>;

/** Assets that the run has to do with, refused ones included. */
export function takenOf({ new: fresh, changed, refused }: Found): number {
  return fresh + changed + refused.length;
}

/** Assets of one shard; the last one has fewer. */
export function sizeOfShard(found: Found | null, shardSize: number, shard: number): number {
  const toDo = (found?.new ?? 0) + (found?.changed ?? 0);
  return Math.max(0, Math.min(shardSize, toDo - shard * shardSize));
}

/** Files that go to no shard: refused ones have failed; unchanged and still changing ones are passed over. */
export function untakenTotals({ refused, total, new: fresh, changed }: Found): Totals {
  const untaken = total - fresh - changed;
  const failed = refused.length;
  return { total: untaken, complete: 0, failed, skipped: untaken - failed };
}

/** Assets of shards from this one on: passed over by a run that stops before them. */
export function unstartedTotals(found: Found, shardSize: number, firstShard: number): Totals {
  let total = 0;
  for (let shard = firstShard; shard < found.pages; shard += 1)
    total += sizeOfShard(found, shardSize, shard);
  return { total, complete: 0, failed: 0, skipped: total };
}
