// Keys with a time each, handed out once their time has come. One time a key: the latest one set.

interface Entry {
  readonly at: number;
  readonly key: string;
}

export class DueQueue {
  readonly #times = new Map<string, number>();
  /** A binary heap, earliest first; entries whose key was given another time since are stale. */
  #heap: Entry[] = [];

  /** @param at Epoch milliseconds. */
  set(key: string, at: number): void {
    if (this.#times.get(key) === at) return;
    this.#times.set(key, at);
    this.#push({ at, key });
  }

  /** Takes out what is due, earliest first. */
  due(now: number): Entry[] {
    const taken: Entry[] = [];
    for (let next = this.#first(); next && next.at <= now; next = this.#first()) {
      this.#pop();
      this.#times.delete(next.key);
      taken.push(next);
    }
    return taken;
  }

  /** When the next key is due. */
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
      const least = this.#atOf(right) < this.#atOf(left) ? right : left;
      if (!this.#swapIfLater(at, least)) return;
      at = least;
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
