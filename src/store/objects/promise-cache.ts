// Promises, by name, that everyone who needs the result shares, such as lists that a worker reads once per run.

export class PromiseCache<T> {
  readonly #maxEntries: number;
  readonly #promises = new Map<string, Promise<T>>();

  /** @param maxEntries once the cache has this size, a new promise clears it first */
  constructor(maxEntries = Number.POSITIVE_INFINITY) {
    this.#maxEntries = maxEntries;
  }

  has(name: string): boolean {
    return this.#promises.has(name);
  }

  /** Returns the promise with this name, or starts one with `begin`. Failures are not cached. */
  getOrStart(name: string, begin: () => Promise<T>): Promise<T> {
    const promise = this.#promises.get(name);
    if (promise) return promise;
    if (this.#promises.size >= this.#maxEntries) this.#promises.clear();
    const newPromise = begin();
    newPromise.catch(() => {
      // The promise is deleted only if it is still the stored one, because another promise may have replaced it.
      if (this.#promises.get(name) === newPromise) this.#promises.delete(name);
    });
    this.#promises.set(name, newPromise);
    return newPromise;
  }

  forget(name: string): void {
    this.#promises.delete(name);
  }
}
