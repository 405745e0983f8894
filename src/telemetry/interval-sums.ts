// Sums up frequent events, to be logged at intervals that grow while the events continue. Pure.

interface Entry<Sum> {
  /** Absent if nothing was added since the sum was last returned. */
  sum?: Sum;
  sinceMs: number;
  intervalMs: number;
}

/** Interval between two sums of the same key: the first one, the maximum, and the factor by which it grows. */
export interface IntervalOptions {
  firstMs: number;
  maxMs: number;
  growth: number;
}

export class IntervalSums<Sum> {
  readonly #intervals: IntervalOptions;
  readonly #entries = new Map<string, Entry<Sum>>();

  constructor(intervals: IntervalOptions) {
    this.#intervals = intervals;
  }

  /** @param add receives the sum, or undefined if the key has none yet, and returns the new sum */
  record(key: string, nowMs: number, add: (sum: Sum | undefined) => Sum): void {
    const { firstMs } = this.#intervals;
    const entry = this.#entries.get(key) ?? { sinceMs: nowMs, intervalMs: firstMs };
    this.#entries.set(key, { ...entry, sum: add(entry.sum) });
  }

  /** Returns the sums whose interval is over. After an interval without events, a key starts over at `firstMs`. */
  due(nowMs: number): Sum[] {
    const sums: Sum[] = [];
    for (const [key, { sum, sinceMs, intervalMs }] of this.#entries) {
      if (nowMs - sinceMs < intervalMs) continue;
      if (sum === undefined) {
        this.#entries.delete(key);
        continue;
      }
      sums.push(sum);
      const nextMs = Math.min(intervalMs * this.#intervals.growth, this.#intervals.maxMs);
      this.#entries.set(key, { sinceMs: nowMs, intervalMs: nextMs });
    }
    return sums;
  }

  /** Drops all sums whose key starts with `prefix`. Returns those that have grown since `due` last returned them. */
  takeByPrefix(prefix: string): Sum[] {
    const entries = [...this.#entries].filter(([key]) => key.startsWith(prefix));
    for (const [key] of entries) this.#entries.delete(key);
    return entries.flatMap(([, { sum }]) => sum ?? []);
  }
}
