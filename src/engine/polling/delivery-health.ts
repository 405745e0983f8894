// Decides whether notifications of one kind are delivered reliably. They count as reliable until one is missing, and again
// as soon as a notification leads to a poll.

/** How long after a poll saw a change its notification may still arrive. */
const deliveryGraceMs = 2_000;

export class DeliveryHealth {
  readonly #unannounced = new Map<string, number>();
  #isHealthy = true;

  /** A poll found an item finished that no notification had announced. */
  noteUnannounced(wakeUp: string, nowMs: number): void {
    this.#unannounced.set(wakeUp, nowMs);
  }

  noteDelivered(wakeUp: string): void {
    this.#unannounced.delete(wakeUp);
  }

  /** A wake-up led to a poll of an item that a wait is waiting for. */
  noteUseful(): void {
    this.#isHealthy = true;
  }

  isHealthy(nowMs: number): boolean {
    for (const [wakeUp, foundAtMs] of this.#unannounced) {
      // Entries are in insertion order, so all that follow are younger.
      if (nowMs - foundAtMs < deliveryGraceMs) break;
      this.#unannounced.delete(wakeUp);
      this.#isHealthy = false;
    }
    return this.#isHealthy;
  }
}
