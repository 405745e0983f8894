// Wakes a workflow that may have something to do later though nothing happens until then.
import { sleep } from '@temporalio/workflow';

/**
 * Timers are history, so there is a new one only where none rings early enough; one that turns out to be needless is
 * not cancelled, which would be another event.
 */
export class Alarm {
  readonly #ring: () => void;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Rings by this time of the workflow, perhaps earlier. @param summary what for, in the Temporal UI */
  by(atMs: number, summary: string): void {
    if (atMs >= this.#dueMs) return;
    this.#dueMs = atMs;
    sleep(Math.max(1, atMs - Date.now()), { summary })
      .then(() => {
        if (this.#dueMs === atMs) this.#dueMs = Number.POSITIVE_INFINITY;
        this.#ring();
      })
      // Only a cancel, which the workflow itself hears of.
      .catch(() => undefined);
  }
}
