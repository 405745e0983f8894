// Batches the requests of many callers: one call serves all that arrive within a short window.

interface Pending<Item, Answer> {
  items: readonly Item[];
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Activity attempts of one poll interval start within a few milliseconds of each other, and each requests its own items.
 * The first request opens a window. When the window closes, one call serves all requests. Calls never overlap: requests
 * that arrive during a call wait for the next one, so a slow call is shared by more callers.
 */
export class Gather<Item, Answer> {
  readonly #windowMs: number;
  readonly #look: (items: Item[]) => Promise<Answer>;
  #pending: Pending<Item, Answer>[] = [];
  /** A window is open or a call is running, so a new request must not open another window. */
  #busy = false;

  constructor(windowMs: number, look: (items: Item[]) => Promise<Answer>) {
    this.#windowMs = windowMs;
    this.#look = look;
  }

  /** @param windowMs 0: do not wait for other callers, because the caller has collected all requests already */
  ask(items: readonly Item[], windowMs = this.#windowMs): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ items, resolve, reject });
      if (!this.#busy) this.#openWindow(windowMs);
    });
  }

  #openWindow(windowMs: number): void {
    this.#busy = true;
    setTimeout(() => void this.#flush(), windowMs);
  }

  async #flush(): Promise<void> {
    const asked = this.#pending;
    this.#pending = [];
    try {
      const answer = await this.#look(asked.flatMap(({ items }) => items));
      for (const { resolve } of asked) resolve(answer);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      this.#busy = false;
      if (this.#pending.length > 0) this.#openWindow(this.#windowMs);
    }
  }
}
