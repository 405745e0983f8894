// Caches a list for a short time, for everyone who needs it.

export class CachedList<T> {
  readonly #now: () => number;
  readonly #maxAgeMs: number;
  #list: Promise<T> | null = null;
  #readAtMs = 0;

  constructor(now: () => number, maxAgeMs = 60_000) {
    this.#now = now;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Returns the cached list if it is younger than the maximum age, and otherwise the result of `read`. */
  get(read: () => Promise<T>): Promise<T> {
    if (this.#list && this.#now() - this.#readAtMs < this.#maxAgeMs) return this.#list;
    this.#readAtMs = this.#now();
    const list = read();
    // A failed read removes its list, which must not stay cached, but leaves a newer list alone.
    list.catch(() => {
      if (this.#list === list) this.#list = null;
    });
    this.#list = list;
    return list;
  }
}
