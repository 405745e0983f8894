// A manual clock for tests of the rate budget.
import type { BudgetClock } from '../../src/api/rate-limit/budget.ts';

interface Timer {
  atMs: number;
  callback: () => void;
}

export class ManualClock implements BudgetClock {
  nowMs: number;
  #timers = new Set<Timer>();

  constructor(nowMs = 1_000_000) {
    this.nowMs = nowMs;
  }

  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Advances the time. Fires due timers in order, and then lets promises settle. */
  async advance(byMs: number): Promise<void> {
    await flushPromises();
    const untilMs = this.nowMs + byMs;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= untilMs);
      const next = due.sort((a, b) => a.atMs - b.atMs)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.callback();
      await flushPromises();
    }
    this.nowMs = untilMs;
    await flushPromises();
  }
}

/** Lets all pending promises settle. */
export function flushPromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
