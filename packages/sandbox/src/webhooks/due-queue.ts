// A queue of keys by due time. Each key has only the time that was set last.
import { insertSorted } from '../state/insert-sorted.ts';

interface Entry {
  readonly at: number;
  readonly key: string;
}

export class DueQueue {
  readonly #times = new Map<string, number>();
  /** Latest first. An entry is stale if its key was taken or got another time since. */
  #entries: Entry[] = [];

  /** @param atMs Epoch milliseconds. */
  set(key: string, atMs: number): void {
    if (this.#times.get(key) === atMs) return;
    this.#times.set(key, atMs);
    insertSorted(this.#entries, { at: atMs, key }, (entry) => entry.at);
  }

  /** Removes and returns the due keys, earliest first. */
  due(nowMs: number): Entry[] {
    const dueEntries: Entry[] = [];
    for (let next = this.#first(); next && next.at <= nowMs; next = this.#first()) {
      this.#entries.pop();
      this.#times.delete(next.key);
      dueEntries.push(next);
    }
    return dueEntries;
  }

  /** The time of the next due key. */
  get next(): number | undefined {
    return this.#first()?.at;
  }

  clear(): void {
    this.#times.clear();
    this.#entries = [];
  }

  #first(): Entry | undefined {
    for (;;) {
      const first = this.#entries.at(-1);
      if (!first || this.#times.get(first.key) === first.at) return first;
      this.#entries.pop();
    }
  }
}
