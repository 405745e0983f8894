// Assets of a shard that have come to their end and are to be written down: many together, and nobody's for long.
import type { SettledAt } from '../src/plan/step-contract.ts';
import { patienceMs } from '../src/plan/wait-policy.ts';

/** Assets that settle together; fewer when nothing more has ended for a while. */
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

  /** By when they are to be written down; shards that take hours write seldom. null: there are none. */
  dueMs(): number | null {
    if (this.#ended.length === 0) return null;
    if (this.#ended.length >= settleAtLeast) return this.#sinceMs;
    const ageMs = this.#sinceMs - this.#startedAtMs;
    return this.#sinceMs + Math.max(quietAtLeastMs, patienceMs(ageMs));
  }

  take(): SettledAt[] {
    return this.#ended.splice(0, settledAtMost);
  }

  /** They were not written down. */
  putBack(taken: readonly SettledAt[]): void {
    this.#ended.unshift(...taken);
  }
}
