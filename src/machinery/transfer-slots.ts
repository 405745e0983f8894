// Bounds how many transfers one worker has under way, over all its activities.
import pLimit from 'p-limit';

export class Slots {
  /** Runs the work when a slot is free, in the order of calls. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;

  constructor(count: number) {
    this.run = pLimit(count);
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
