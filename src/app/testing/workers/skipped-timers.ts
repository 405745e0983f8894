// Runs the rate limiter's timers in skipped time, so that tests need not wait for the rate limit in real time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BudgetClock } from '../../../api/rate-limit/budget.ts';

interface Timer {
  atMs: number;
  callback: () => void;
}

/** Maximum delay of a timer that skips time. Longer timers are timeouts and run in real time. */
const maxMs = 120_000;
/** Most timers are cancelled immediately, so time is skipped only after this delay. */
const cancelGraceMs = 20;

export class SkippedTimers implements BudgetClock {
  readonly now: () => number;
  readonly #skip: (ms: number) => Promise<void>;
  readonly #timers = new Set<Timer>();
  #isSkipping = false;

  constructor(now: () => number, skip: (ms: number) => Promise<void>) {
    this.now = now;
    this.#skip = skip;
  }

  after(delayMs: number, callback: () => void): () => void {
    if (delayMs > maxMs) {
      const realTimer = setTimeout(callback, delayMs).unref();
      return () => clearTimeout(realTimer);
    }
    const timer = { atMs: this.now() + delayMs, callback };
    this.#timers.add(timer);
    setTimeout(() => void this.#fireTimers(), cancelGraceMs).unref();
    return () => this.#timers.delete(timer);
  }

  async #fireTimers(): Promise<void> {
    if (this.#isSkipping) return;
    this.#isSkipping = true;
    try {
      while (this.#timers.size > 0) {
        const nextAtMs = Math.min(...[...this.#timers].map(({ atMs }) => atMs));
        const leftMs = nextAtMs - this.now();
        if (leftMs > 0) await Promise.all([this.#skip(leftMs), sleep(cancelGraceMs)]);
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
