// Caches a list of the platform for a minute, for everyone who needs it.

const maxAgeMs = 60_000;

export class CachedList<T> {
  readonly #now: () => number;
  #list: Promise<T> | null = null;
  #readAtMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the cached list if it is less than a minute old, and otherwise the result of `read`. */
  get(read: () => Promise<T>): Promise<T> {
    if (this.#list && this.#now() - this.#readAtMs < maxAgeMs) return this.#list;
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
