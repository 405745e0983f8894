// Decides whether notifications of one kind are delivered reliably. They count as reliable until one is missing, and again
// as soon as a notification leads to a poll.

/** How long after a poll saw a change its notification may still arrive. */
const lateMs = 2_000;

export class HintTrust {
  readonly #unannounced = new Map<string, number>();
  #holds = true;

  /** A poll found an item finished that no notification had announced. */
  found(hint: string, nowMs: number): void {
    this.#unannounced.set(hint, nowMs);
  }

  heard(hint: string): void {
    this.#unannounced.delete(hint);
  }

  /** A wake-up led to a poll of an item that a wait is waiting for. */
  useful(): void {
    this.#holds = true;
  }

  holds(nowMs: number): boolean {
    for (const [hint, foundAtMs] of this.#unannounced) {
      // Entries are in insertion order, so all that follow are younger.
      if (nowMs - foundAtMs < lateMs) break;
      this.#unannounced.delete(hint);
      this.#holds = false;
    }
    return this.#holds;
  }
}
