// What was seen lately, in bounded memory.

export class Recent {
  readonly #seenAtMs = new Map<string, number>();
  readonly #most: number;
  readonly #forMs: number;

  constructor(most: number, forMs: number) {
    this.#most = most;
    this.#forMs = forMs;
  }

  has(id: string, nowMs: number): boolean {
    const seenAtMs = this.#seenAtMs.get(id);
    return seenAtMs !== undefined && nowMs - seenAtMs < this.#forMs;
  }

  add(id: string, nowMs: number): void {
    this.#seenAtMs.delete(id);
    this.#seenAtMs.set(id, nowMs);
    // A Map keeps the order of insertion, so the first is the oldest.
    const [oldest] = this.#seenAtMs.keys();
    if (this.#seenAtMs.size > this.#most && oldest !== undefined) this.#seenAtMs.delete(oldest);
  }
}
