// Can it be relied on that notifications of one kind come? Until one is missing; and again as soon as one
// was of use.

/** A notification may be on its way for so long after a look has seen what it tells. */
const lateMs = 2_000;

export class HintTrust {
  readonly #unannounced = new Map<string, number>();
  #holds = true;

  /** A look found that it has ended, and nothing has said so. */
  found(hint: string, nowMs: number): void {
    this.#unannounced.set(hint, nowMs);
  }

  heard(hint: string): void {
    this.#unannounced.delete(hint);
  }

  /** A hint made somebody look at what is waited for. */
  useful(): void {
    this.#holds = true;
  }

  holds(nowMs: number): boolean {
    for (const [hint, foundAtMs] of this.#unannounced) {
      // In the order in which they were found, so the rest is younger.
      if (nowMs - foundAtMs < lateMs) break;
      this.#unannounced.delete(hint);
      this.#holds = false;
    }
    return this.#holds;
  }
}
