// The open shards of a run: their last reports, and which of them count in the window.
import type { ContinuedShard } from '../../src/plan/run/run-continuation.ts';
import { createTotals, type ShardProgress } from '../../src/plan/shard/totals.ts';
import type { InFlight } from '../../src/plan/shard/window.ts';

interface Shard {
  last: ShardProgress | null;
  /** True if only side steps are left, which may take hours. */
  isDetached: boolean;
  /** True if nearly all of its assets wait for the platform or for the end of a hold. */
  isWaiting: boolean;
  /** True if an earlier execution started the shard, so that it reports only by signals. */
  isInherited: boolean;
}

export class OpenShards {
  readonly #shards = new Map<number, Shard>();

  constructor(carriedShards: readonly ContinuedShard[] = []) {
    for (const [shard, status, complete, failed, skipped] of carriedShards) {
      const totals = { ...createTotals(), complete, failed, skipped };
      this.#shards.set(shard, {
        last: { shard, totals, steps: {}, failures: [] },
        isDetached: status === 2,
        isWaiting: status === 1,
        isInherited: true,
      });
    }
  }

  get size(): number {
    return this.#shards.size;
  }

  /** Number of shards that have steps other than side steps left, even if their assets only wait. */
  get busy(): number {
    return this.size - this.#count(({ isDetached }) => isDetached);
  }

  has(shard: number): boolean {
    return this.#shards.has(shard);
  }

  start(shard: number): void {
    const flags = { isDetached: false, isWaiting: false, isInherited: false };
    this.#shards.set(shard, { last: null, ...flags });
  }

  /** Removes a shard. Returns its last report. Returns null if it never sent one. */
  remove(shard: number): ShardProgress | null {
    const last = this.#shards.get(shard)?.last ?? null;
    this.#shards.delete(shard);
    return last;
  }

  report(progress: ShardProgress): void {
    const openShard = this.#shards.get(progress.shard);
    if (openShard) openShard.last = progress;
  }

  setDetached(shard: number, isDetached: boolean): void {
    const openShard = this.#shards.get(shard);
    if (openShard) openShard.isDetached = isDetached;
  }

  setWaiting(shard: number, isWaiting: boolean): void {
    const openShard = this.#shards.get(shard);
    if (openShard) openShard.isWaiting = isWaiting;
  }

  shardNumbers(): number[] {
    return [...this.#shards.keys()];
  }

  inherited(): number[] {
    return [...this.#shards].flatMap(([shard, { isInherited }]) => (isInherited ? [shard] : []));
  }

  reports(): [shard: number, last: ShardProgress | null][] {
    return [...this.#shards].map(([shard, { last }]) => [shard, last]);
  }

  /** Counts open shards, and unfinished assets of those not detached. @param sizeOf all assets of a shard */
  inFlight(sizeOf: (shard: number) => number): InFlight {
    let assets = 0;
    for (const [shard, { last, isDetached }] of this.#shards) {
      if (isDetached) continue;
      const { complete, failed, skipped } = last?.totals ?? createTotals();
      assets += Math.max(0, sizeOf(shard) - complete - failed - skipped);
    }
    const detachedCount = this.#count((shard) => shard.isDetached);
    const waitingCount = this.#count((shard) => shard.isWaiting && !shard.isDetached);
    return { shards: this.size, detached: detachedCount, waiting: waitingCount, assets };
  }

  /** Returns the state for a continuation of the run, in few bytes, since there may be many shards. */
  carried(): ContinuedShard[] {
    return [...this.#shards].map(([shard, { last, isDetached, isWaiting }]) => {
      const { complete, failed, skipped } = last?.totals ?? createTotals();
      return [shard, isDetached ? 2 : isWaiting ? 1 : 0, complete, failed, skipped];
    });
  }

  #count(isCounted: (shard: Shard) => boolean): number {
    return [...this.#shards.values()].filter(isCounted).length;
  }
}
