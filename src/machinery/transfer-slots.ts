// Bounds how many transfers one worker has under way, over all its activities.

export class Slots {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      // The slot passes on directly, so that no newcomer can take it from who has waited.
      if (next) next();
      else this.#free += 1;
    }
  }

  /** Runs the work for every item, in order of free slots; rejects with the first error after all have ended. */
  async each<Item, T>(items: readonly Item[], work: (item: Item) => Promise<T>): Promise<T[]> {
    const ended = await Promise.allSettled(items.map((item) => this.run(() => work(item))));
    return ended.map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  }
}
