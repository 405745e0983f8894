export interface RequestCounts {
  total: number;
  byOperation: Record<string, number>;
  rateLimited: number;
}

/** Counts requests that reached the platform, by operation. Signed PUTs and downloads from the CDN are not counted. */
export class RequestCounter {
  #byOperation = new Map<string, number>();
  #rateLimited = 0;

  add(operation: string, status?: number): void {
    this.#byOperation.set(operation, (this.#byOperation.get(operation) ?? 0) + 1);
    if (status === 429) this.#rateLimited += 1;
  }

  addCounts(byOperation: Readonly<Record<string, number>>): void {
    for (const [operation, count] of Object.entries(byOperation))
      this.#byOperation.set(operation, (this.#byOperation.get(operation) ?? 0) + count);
  }

  get total(): number {
    return [...this.#byOperation.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Counts by operation id, in alphabetical order, so that reports can be compared. */
  get byOperation(): Record<string, number> {
    const pairs = [...this.#byOperation].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(pairs);
  }

  get rateLimited(): number {
    return this.#rateLimited;
  }

  snapshot(): RequestCounts {
    const { total, byOperation, rateLimited } = this;
    return { total, byOperation, rateLimited };
  }

  /** Returns the counts and resets them to zero. */
  take(): RequestCounts {
    const counts = this.snapshot();
    this.#byOperation.clear();
    this.#rateLimited = 0;
    return counts;
  }
}
