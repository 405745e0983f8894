// Wakes a workflow at a later time without any event.
import { sleep } from '@temporalio/workflow';

/**
 * Every timer adds history, so a new one starts only where none rings early enough, and a needless one is left alone, since
 * cancelling it would add an event.
 */
export class Alarm {
  readonly #ring: () => void;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Rings at this workflow time or earlier. @param summary reason, shown in the Temporal UI */
  by(atMs: number, summary: string): void {
    if (atMs >= this.#dueMs) return;
    this.#dueMs = atMs;
    sleep(Math.max(1, atMs - Date.now()), { summary })
      .then(() => {
        if (this.#dueMs === atMs) this.#dueMs = Number.POSITIVE_INFINITY;
        this.#ring();
      })
      // Fails only by a cancel, which the workflow hears of itself.
      .catch(() => undefined);
  }
}
