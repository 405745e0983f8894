// Collects ended assets of a shard, to write many together without any of them waiting long.
import type { SettledAt } from '../src/plan/step-contract.ts';
import { patienceMs } from '../src/plan/wait-policy.ts';

/** Assets that settle together; fewer when no other has ended for a while. */
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

  /** When they are to be written, by workflow time; shards that take hours write rarely. Null where there are none. */
  dueMs(): number | null {
    if (this.#ended.length === 0) return null;
    if (this.#ended.length >= settleAtLeast) return this.#sinceMs;
    const ageMs = this.#sinceMs - this.#startedAtMs;
    return this.#sinceMs + Math.max(quietAtLeastMs, patienceMs(ageMs));
  }

  take(): SettledAt[] {
    return this.#ended.splice(0, settledAtMost);
  }

  /** Takes back assets that were not written. */
  putBack(taken: readonly SettledAt[]): void {
    this.#ended.unshift(...taken);
  }
}
