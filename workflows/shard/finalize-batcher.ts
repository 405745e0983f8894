// Batches finished assets of a shard, to write many together without a long delay for any of them.
import type { ShardAssetOutcome } from '../../src/plan/shard/step-contract.ts';
import { batchDelayMs } from '../../src/plan/wait-policy.ts';

/** Assets that are finalized together; fewer if no other asset has finished for a while. */
const enoughToFinalize = 100;
const maxFinalized = 250;
const minQuietMs = 10_000;

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

  add(ended: readonly ShardAssetOutcome[], nowMs: number): void {
    if (this.#outcomes.length === 0) this.#sinceMs = nowMs;
    this.#outcomes.push(...ended);
  }

  /** When they must be written, by workflow time; null if there are none. Shards that take hours write rarely. */
  dueMs(): number | null {
    if (this.#outcomes.length === 0) return null;
    if (this.#outcomes.length >= enoughToFinalize) return this.#sinceMs;
    const ageMs = this.#sinceMs - this.#startedAtMs;
    return this.#sinceMs + Math.max(minQuietMs, batchDelayMs(ageMs));
  }

  take(): ShardAssetOutcome[] {
    return this.#outcomes.splice(0, maxFinalized);
  }

  /** Returns assets that were not written to the batch. */
  putBack(taken: readonly ShardAssetOutcome[]): void {
    this.#outcomes.unshift(...taken);
  }
}
