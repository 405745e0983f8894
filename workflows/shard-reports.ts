// When a shard tells its run how far it has come. Each report costs events in both histories.
import type { Totals } from '../src/plan/totals.ts';

/** First report to the run; each later one comes after twice as long as the shard has worked, so that reports stay few. */
const atLeastEveryMs = 4_000;
const atMostEveryMs = 5 * 60_000;

export class ShardReports {
  readonly #startedAtMs: number;
  /** The run counts failures: it hears of the first at once, and of more of them soon. */
  readonly #countsFailures: boolean;
  #failedTold = 0;
  #toldAtMs: number;
  /** Nothing was told yet. */
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
