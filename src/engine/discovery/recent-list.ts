// A list of the platform that everyone who needs it shares for a minute.

const maxAgeMs = 60_000;

export class RecentList<T> {
  readonly #now: () => number;
  #list: Promise<T> | null = null;
  #readAtMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The list as it was read within the last minute, or else as `read` reads it now. */
  get(read: () => Promise<T>): Promise<T> {
    if (this.#list && this.#now() - this.#readAtMs < maxAgeMs) return this.#list;
    this.#readAtMs = this.#now();
    const list = read();
    // A failed read must not be remembered.
    list.catch(() => {
      this.#list = null;
    });
    this.#list = list;
    return list;
  }
}
