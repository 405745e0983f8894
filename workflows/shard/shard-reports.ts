// Decides when a shard reports its progress to its run. Each report adds events to both histories.
import type { Totals } from '../../src/plan/shard/totals.ts';

/** Bounds of the time between reports, which is twice the shard's age at its last report, so that reports stay few. */
const minGapMs = 4_000;
const maxGapMs = 5 * 60_000;

export class ShardReports {
  readonly #startedAtMs: number;
  /** True if the run has a limit of failures. The first failure is then reported immediately, and further ones soon. */
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

  /** Returns when the next report is due if no further asset fails. */
  dueAtMs(): number {
    const ageMs = this.#reportedAtMs - this.#startedAtMs;
    return this.#reportedAtMs + Math.min(Math.max(2 * ageMs, minGapMs), maxGapMs);
  }

  isDue({ failed }: Totals, nowMs: number): boolean {
    const hasNewFailures = this.#countsFailures && failed > this.#reportedFailures;
    if (hasNewFailures) return this.#isFirst || nowMs >= this.#reportedAtMs + minGapMs;
    return nowMs >= this.dueAtMs();
  }

  recordReport({ failed }: Totals, nowMs: number): void {
    this.#reportedFailures = failed;
    this.#reportedAtMs = nowMs;
    this.#isFirst = false;
  }
}
