// Decides when a shard reports its progress to its run. Each report adds events to both histories.
import type { Totals } from '../src/plan/totals.ts';

/** Minimum and maximum time between reports. The gap is twice the age of the shard at its last report, so that reports stay few. */
const atLeastEveryMs = 4_000;
const atMostEveryMs = 5 * 60_000;

export class ShardReports {
  readonly #startedAtMs: number;
  /** True if the run counts failures. It then gets the first failure at once, and further ones soon. */
  readonly #countsFailures: boolean;
  #failedTold = 0;
  #toldAtMs: number;
  /** True until the first report. */
  #isFirst = true;

  constructor(startedAtMs: number, nowMs: number, countsFailures: boolean) {
    this.#startedAtMs = startedAtMs;
    this.#toldAtMs = nowMs;
    this.#countsFailures = countsFailures;
  }

  isDue({ failed }: Totals, nowMs: number): boolean {
    const ageMs = this.#toldAtMs - this.#startedAtMs;
    const gapMs = Math.min(Math.max(2 * ageMs, atLeastEveryMs), atMostEveryMs);
    const isNews = this.#countsFailures && failed > this.#failedTold;
    if (isNews) return this.#isFirst || nowMs >= this.#toldAtMs + atLeastEveryMs;
    return nowMs >= this.#toldAtMs + gapMs;
  }

  told({ failed }: Totals, nowMs: number): void {
    this.#failedTold = failed;
    this.#toldAtMs = nowMs;
    this.#isFirst = false;
  }
}
