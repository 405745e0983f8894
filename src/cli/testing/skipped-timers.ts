// Timers of the rate budget in time that is skipped: what waits for its allowance waits for no real minute.
import type { BudgetClock } from '../../api/budget.ts';

interface Timer {
  atMs: number;
  callback: () => void;
}

/** Limits of patience are longer, and are no reason for time to pass. */
const longestMs = 120_000;
/** Most timers are called off at once. */
const settleMs = 20;

export class SkippedTimers implements BudgetClock {
  readonly now: () => number;
  readonly #skip: (ms: number) => Promise<void>;
  readonly #timers = new Set<Timer>();
  #isSkipping = false;

  /** @param skip lets time pass */
  constructor(now: () => number, skip: (ms: number) => Promise<void>) {
    this.now = now;
    this.#skip = skip;
  }

  after(delayMs: number, callback: () => void): () => void {
    if (delayMs > longestMs) {
      const patience = setTimeout(callback, delayMs).unref();
      return () => clearTimeout(patience);
    }
    const timer = { atMs: this.now() + delayMs, callback };
    this.#timers.add(timer);
    setTimeout(() => void this.#work(), settleMs).unref();
    return () => this.#timers.delete(timer);
  }

  async #work(): Promise<void> {
    if (this.#isSkipping) return;
    this.#isSkipping = true;
    try {
      while (this.#timers.size > 0) {
        const nextMs = Math.min(...[...this.#timers].map(({ atMs }) => atMs));
        const leftMs = nextMs - this.now();
        if (leftMs > 0) await Promise.all([this.#skip(leftMs), turn(settleMs)]);
        for (const timer of this.#timers) {
          if (timer.atMs > this.now() || !this.#timers.delete(timer)) continue;
          timer.callback();
        }
      }
    } finally {
      this.#isSkipping = false;
    }
  }
}

/** Time also passes by itself, where nothing can be skipped. */
function turn(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
