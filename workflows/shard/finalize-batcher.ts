// Batches finished assets of a shard, so that many are written together but none waits for long.
import type { ShardAssetOutcome } from '../../src/plan/shard/step-contract.ts';
import { computeBatchDelayMs } from '../../src/plan/wait-policy.ts';

/** Number of finished assets that are written without a delay. Fewer are written after one. */
const minBatchSize = 100;
const maxBatchSize = 250;
const minDelayMs = 10_000;

export class FinalizeBatcher {
  readonly #outcomes: ShardAssetOutcome[] = [];
  readonly #startedAtMs: number;
  #sinceMs = 0;

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs;
  }

  get size(): number {
    return this.#outcomes.length;
  }

  add(outcomes: readonly ShardAssetOutcome[], nowMs: number): void {
    if (this.#outcomes.length === 0) this.#sinceMs = nowMs;
    this.#outcomes.push(...outcomes);
  }

  /** Returns when the batch must be written, by workflow time, or null. The delay grows with the age of the shard. */
  dueAtMs(): number | null {
    if (this.#outcomes.length === 0) return null;
    if (this.#outcomes.length >= minBatchSize) return this.#sinceMs;
    const ageMs = this.#sinceMs - this.#startedAtMs;
    return this.#sinceMs + Math.max(minDelayMs, computeBatchDelayMs(ageMs));
  }

  take(): ShardAssetOutcome[] {
    return this.#outcomes.splice(0, maxBatchSize);
  }

  /** Puts taken assets back into the batch, because not all of them may have been written. */
  putBack(outcomes: readonly ShardAssetOutcome[]): void {
    this.#outcomes.unshift(...outcomes);
  }
}
