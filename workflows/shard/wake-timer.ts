// Wakes a workflow at a later time without an event.
import { sleep } from '@temporalio/workflow';

/**
 * Keeps the number of timers small, because each adds history events. A timer starts only if no other timer is due as
 * early. A timer that is no longer needed is not cancelled, because cancelling it would add another event.
 */
export class WakeTimer {
  readonly #onDue: () => void;
  #dueAtMs = Number.POSITIVE_INFINITY;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /**
   * Calls `onDue` at this workflow time or earlier.
   * @param summary reason, shown in the Temporal UI
   */
  set(atMs: number, summary: string): void {
    if (atMs >= this.#dueAtMs) return;
    this.#dueAtMs = atMs;
    sleep(Math.max(1, atMs - Date.now()), { summary })
      .then(() => {
        if (this.#dueAtMs === atMs) this.#dueAtMs = Number.POSITIVE_INFINITY;
        this.#onDue();
      })
      // The promise rejects only if the workflow is cancelled, which is handled elsewhere.
      .catch(() => undefined);
  }
}
