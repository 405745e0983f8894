// The shards of a run in flight: their last reports, and which of them count in its window.
import type { ShardProgress } from '../src/plan/totals.ts';

export class OpenShards {
  readonly #reports = new Map<number, ShardProgress | null>();
  readonly #parked = new Set<number>();

  get size(): number {
    return this.#reports.size;
  }

  /** Shards that count in the window; the others only have steps aside left, which may take hours. */
  get busy(): number {
    return this.#reports.size - this.#parked.size;
  }

  has(shard: number): boolean {
    return this.#reports.has(shard);
  }

  start(shard: number): void {
    this.#reports.set(shard, null);
  }

  /** Removes a shard. Gives its last report; null where it never sent one. */
  end(shard: number): ShardProgress | null {
    const last = this.#reports.get(shard) ?? null;
    this.#reports.delete(shard);
    this.#parked.delete(shard);
    return last;
  }

  report(progress: ShardProgress): void {
    if (this.#reports.has(progress.shard)) this.#reports.set(progress.shard, progress);
  }

  park(shard: number, parked: boolean): void {
    if (parked && this.#reports.has(shard)) this.#parked.add(shard);
    else this.#parked.delete(shard);
  }

  numbers(): number[] {
    return [...this.#reports.keys()];
  }

  reports(): [shard: number, last: ShardProgress | null][] {
    return [...this.#reports];
  }
}
