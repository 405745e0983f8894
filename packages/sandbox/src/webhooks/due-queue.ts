// A queue of keys by due time. Each key has one time, the one that was set last.

interface Entry {
  readonly at: number;
  readonly key: string;
}

export class DueQueue {
  readonly #times = new Map<string, number>();
  /** A binary heap, earliest first. An entry is stale if its key was taken or got another time since. */
  #heap: Entry[] = [];

  /** @param at Epoch milliseconds. */
  set(key: string, at: number): void {
    if (this.#times.get(key) === at) return;
    this.#times.set(key, at);
    this.#push({ at, key });
  }

  /** Removes and returns the due keys, earliest first. */
  due(nowMs: number): Entry[] {
    const taken: Entry[] = [];
    for (let next = this.#first(); next && next.at <= nowMs; next = this.#first()) {
      this.#pop();
      this.#times.delete(next.key);
      taken.push(next);
    }
    return taken;
  }

  /** The time of the next due key. */
  get next(): number | undefined {
    return this.#first()?.at;
  }

  clear(): void {
    this.#times.clear();
    this.#heap = [];
  }

  #first(): Entry | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (!first || this.#times.get(first.key) === first.at) return first;
      this.#pop();
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#swapIfLater(above, at)) return;
      at = above;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    heap[0] = last;
    let at = 0;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const min = this.#atOf(right) < this.#atOf(left) ? right : left;
      if (!this.#swapIfLater(at, min)) return;
      at = min;
    }
  }

  #atOf(index: number): number {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swapIfLater(above: number, below: number): boolean {
    const [upper, lower] = [this.#heap[above], this.#heap[below]];
    if (!upper || !lower || upper.at <= lower.at) return false;
    this.#heap[above] = lower;
    this.#heap[below] = upper;
    return true;
  }
}
