// Promises by name that everyone who needs the result shares, such as lists that a worker reads once per run.

export class PromiseCache<T> {
  readonly #maxEntries: number;
  readonly #known = new Map<string, Promise<T>>();

  /** @param maxEntries a further promise makes the cache forget all earlier ones */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  /** The promise of this name, or else the one that `begin` returns. A failure is forgotten. */
  get(name: string, begin: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name);
    if (known) return known;
    if (this.#known.size >= this.#maxEntries) this.#known.clear();
    const begun = begin();
    begun.catch(() => {
      // Since then another promise may have taken its place.
      if (this.#known.get(name) === begun) this.#known.delete(name);
    });
    this.#known.set(name, begun);
    return begun;
  }

  forget(name: string): void {
    this.#known.delete(name);
  }
}
