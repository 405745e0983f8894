// Collects the questions of many callers for a moment and answers them with one look.

interface Pending<Item, Answer> {
  items: readonly Item[];
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Attempts of one tick start within a few milliseconds of each other. Each asks for its own items; the
 * first question opens a window, and when it closes one `look` is made for all of them. Looks never
 * overlap: what is asked during one waits for the next, so a slow look is shared by more callers.
 */
export class Gather<Item, Answer> {
  readonly #windowMs: number;
  readonly #look: (items: Item[]) => Promise<Answer>;
  #pending: Pending<Item, Answer>[] = [];
  /** A window is open or a look is under way; what is asked meanwhile needs no window of its own. */
  #busy = false;

  constructor(windowMs: number, look: (items: Item[]) => Promise<Answer>) {
    this.#windowMs = windowMs;
    this.#look = look;
  }

  /** @param windowMs 0: all who would ask now have asked as one. */
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
