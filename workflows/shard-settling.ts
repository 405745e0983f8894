// Batches finished assets of a shard, to write many together without a long delay for any of them.
import type { SettledAt } from '../src/plan/step-contract.ts';
import { patienceMs } from '../src/plan/wait-policy.ts';

/** Assets that are finalized together; fewer if no other asset has finished for a while. */
const settleAtLeast = 100;
const settledAtMost = 250;
const quietAtLeastMs = 10_000;

export class ShardSettling {
  readonly #ended: SettledAt[] = [];
  readonly #startedAtMs: number;
  #sinceMs = 0;

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs;
  }

  get size(): number {
    return this.#ended.length;
  }

  add(ended: readonly SettledAt[], nowMs: number): void {
    if (this.#ended.length === 0) this.#sinceMs = nowMs;
    this.#ended.push(...ended);
  }

  /** When they must be written, by workflow time; null if there are none. Shards that take hours write rarely. */
  dueMs(): number | null {
    if (this.#ended.length === 0) return null;
    if (this.#ended.length >= settleAtLeast) return this.#sinceMs;
    const ageMs = this.#sinceMs - this.#startedAtMs;
    return this.#sinceMs + Math.max(quietAtLeastMs, patienceMs(ageMs));
  }

  take(): SettledAt[] {
    return this.#ended.splice(0, settledAtMost);
  }

  /** Returns assets that were not written to the batch. */
  putBack(taken: readonly SettledAt[]): void {
    this.#ended.unshift(...taken);
  }
}
