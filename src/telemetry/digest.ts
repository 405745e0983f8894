// Sums of what happens often, told now and then: soon at first, and the rarer the longer it goes on. Pure.

interface Entry<Sum> {
  sum: Sum;
  /** Something was added since it was told last. */
  isNew: boolean;
  /** When the first of it came. */
  sinceMs: number;
  gapMs: number;
}

/** Times between two tellings of the same thing. */
export interface Gaps {
  firstMs: number;
  mostMs: number;
  growth: number;
}

export class Digest<Sum> {
  readonly #empty: () => Sum;
  readonly #gaps: Gaps;
  readonly #entries = new Map<string, Entry<Sum>>();

  constructor(empty: () => Sum, gaps: Gaps) {
    this.#empty = empty;
    this.#gaps = gaps;
  }

  note(key: string, nowMs: number, add: (sum: Sum) => void): void {
    const known = this.#entries.get(key);
    const entry = known ?? {
      sum: this.#empty(),
      isNew: false,
      sinceMs: nowMs,
      gapMs: this.#gaps.firstMs,
    };
    if (!known) this.#entries.set(key, entry);
    entry.isNew = true;
    add(entry.sum);
  }

  /** Sums whose time has come. What was quiet for a whole gap is forgotten, and begins anew. */
  due(nowMs: number): Sum[] {
    const sums: Sum[] = [];
    for (const [key, entry] of this.#entries) {
      if (nowMs - entry.sinceMs < entry.gapMs) continue;
      if (!entry.isNew) {
        this.#entries.delete(key);
        continue;
      }
      sums.push(entry.sum);
      const gapMs = Math.min(entry.gapMs * this.#gaps.growth, this.#gaps.mostMs);
      this.#entries.set(key, { sum: this.#empty(), isNew: false, sinceMs: nowMs, gapMs });
    }
    return sums;
  }

  /** All sums whose key begins so, now; they are forgotten. */
  take(begin: string): Sum[] {
    const sums: Sum[] = [];
    for (const [key, entry] of this.#entries) {
      if (!key.startsWith(begin)) continue;
      this.#entries.delete(key);
      if (entry.isNew) sums.push(entry.sum);
    }
    return sums;
  }
}
