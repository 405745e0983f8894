// Decides when a shard reports its progress to its run. Each report adds events to both histories.
import type { Totals } from '../../src/plan/shard/totals.ts';

/** Minimum and maximum time between reports. The gap is twice the age of the shard at its last report, so that reports stay few. */
const maxIntervalMs = 4_000;
const minIntervalMs = 5 * 60_000;

export class ShardReports {
  readonly #startedAtMs: number;
  /** True if the run counts failures. It then gets the first failure at once, and further ones soon. */
  readonly #countsFailures: boolean;
  #reportedFailures = 0;
  #reportedAtMs: number;
  /** True until the first report. */
  #isFirst = true;

  constructor(startedAtMs: number, nowMs: number, countsFailures: boolean) {
    this.#startedAtMs = startedAtMs;
    this.#reportedAtMs = nowMs;
    this.#countsFailures = countsFailures;
  }

  isDue({ failed }: Totals, nowMs: number): boolean {
    const ageMs = this.#reportedAtMs - this.#startedAtMs;
    const gapMs = Math.min(Math.max(2 * ageMs, maxIntervalMs), minIntervalMs);
    const hasNewFailures = this.#countsFailures && failed > this.#reportedFailures;
    if (hasNewFailures) return this.#isFirst || nowMs >= this.#reportedAtMs + maxIntervalMs;
    return nowMs >= this.#reportedAtMs + gapMs;
  }

  recordReport({ failed }: Totals, nowMs: number): void {
    this.#reportedFailures = failed;
    this.#reportedAtMs = nowMs;
    this.#isFirst = false;
  }
}
