// The open shards of a run: their last reports, and which of them count in the window.
import type { CarriedShard } from '../../src/plan/run/run-continuation.ts';
import { type ShardProgress, zeroTotals } from '../../src/plan/shard/totals.ts';
import type { InFlight } from '../../src/plan/shard/window.ts';

interface Shard {
  last: ShardProgress | null;
  /** Only side steps are left, which may take hours. */
  detached: boolean;
  /** Nearly all of its assets wait for the platform, or for the end of a hold. */
  waits: boolean;
  /** An earlier execution started it, so it reports only by signals. */
  inherited: boolean;
}

export class OpenShards {
  readonly #shards = new Map<number, Shard>();

  constructor(carried: readonly CarriedShard[] = []) {
    for (const [shard, does, complete, failed, skipped] of carried) {
      const totals = { ...zeroTotals(), complete, failed, skipped };
      this.#shards.set(shard, {
        last: { shard, totals, steps: {}, failures: [] },
        detached: does === 2,
        waits: does === 1,
        inherited: true,
      });
    }
  }

  get size(): number {
    return this.#shards.size;
  }

  /** Shards with more than side steps left, including those whose assets only wait. */
  get busy(): number {
    return this.size - this.#count(({ detached }) => detached);
  }

  has(shard: number): boolean {
    return this.#shards.has(shard);
  }

  start(shard: number): void {
    this.#shards.set(shard, { last: null, detached: false, waits: false, inherited: false });
  }

  /** Removes a shard. Returns its last report; null if it never sent one. */
  remove(shard: number): ShardProgress | null {
    const last = this.#shards.get(shard)?.last ?? null;
    this.#shards.delete(shard);
    return last;
  }

  report(progress: ShardProgress): void {
    const open = this.#shards.get(progress.shard);
    if (open) open.last = progress;
  }

  setDetached(shard: number, detached: boolean): void {
    const open = this.#shards.get(shard);
    if (open) open.detached = detached;
  }

  setWaiting(shard: number, waits: boolean): void {
    const open = this.#shards.get(shard);
    if (open) open.waits = waits;
  }

  shardNumbers(): number[] {
    return [...this.#shards.keys()];
  }

  inherited(): number[] {
    return [...this.#shards].flatMap(([shard, { inherited }]) => (inherited ? [shard] : []));
  }

  reports(): [shard: number, last: ShardProgress | null][] {
    return [...this.#shards].map(([shard, { last }]) => [shard, last]);
  }

  /** Counts open shards, and unfinished assets of those not detached. @param sizeOf assets of a shard, also finished */
  inFlight(sizeOf: (shard: number) => number): InFlight {
    let assets = 0;
    for (const [shard, { last, detached }] of this.#shards) {
      if (detached) continue;
      const { complete, failed, skipped } = last?.totals ?? zeroTotals();
      assets += Math.max(0, sizeOf(shard) - complete - failed - skipped);
    }
    const detached = this.#count((shard) => shard.detached);
    const waiting = this.#count((shard) => shard.waits && !shard.detached);
    return { shards: this.size, detached, waiting, assets };
  }

  /** State for a continuation of the run, in few bytes, since there may be many shards. */
  carried(): CarriedShard[] {
    return [...this.#shards].map(([shard, { last, detached, waits }]) => {
      const { complete, failed, skipped } = last?.totals ?? zeroTotals();
      return [shard, detached ? 2 : waits ? 1 : 0, complete, failed, skipped];
    });
  }

  #count(isOne: (shard: Shard) => boolean): number {
    let count = 0;
    for (const shard of this.#shards.values()) if (isOne(shard)) count += 1;
    return count;
  }
}
