// Sums up frequent events, to be logged at intervals that grow while the events continue. Pure.

interface Entry<Sum> {
  sum: Sum;
  /** True if something was added since the sum was last returned. */
  isNew: boolean;
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
  readonly #empty: () => Sum;
  readonly #intervals: IntervalOptions;
  readonly #entries = new Map<string, Entry<Sum>>();

  constructor(empty: () => Sum, intervals: IntervalOptions) {
    this.#empty = empty;
    this.#intervals = intervals;
  }

  record(key: string, nowMs: number, add: (sum: Sum) => void): void {
    const existingEntry = this.#entries.get(key);
    const entry = existingEntry ?? {
      sum: this.#empty(),
      isNew: false,
      sinceMs: nowMs,
      intervalMs: this.#intervals.firstMs,
    };
    if (!existingEntry) this.#entries.set(key, entry);
    entry.isNew = true;
    add(entry.sum);
  }

  /** Returns the sums whose interval is over. A key without events in a whole interval starts again with `firstMs`. */
  due(nowMs: number): Sum[] {
    const sums: Sum[] = [];
    for (const [key, entry] of this.#entries) {
      if (nowMs - entry.sinceMs < entry.intervalMs) continue;
      if (!entry.isNew) {
        this.#entries.delete(key);
        continue;
      }
      sums.push(entry.sum);
      const intervalMs = Math.min(entry.intervalMs * this.#intervals.growth, this.#intervals.maxMs);
      this.#entries.set(key, { sum: this.#empty(), isNew: false, sinceMs: nowMs, intervalMs });
    }
    return sums;
  }

  /** Drops all sums whose key starts with `prefix`. Returns those that have grown since `due` last returned them. */
  takeByPrefix(prefix: string): Sum[] {
    const sums: Sum[] = [];
    for (const [key, entry] of this.#entries) {
      if (!key.startsWith(prefix)) continue;
      this.#entries.delete(key);
      if (entry.isNew) sums.push(entry.sum);
    }
    return sums;
  }
}
