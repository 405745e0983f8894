// Wakes a workflow at a later time without an event.
import { sleep } from '@temporalio/workflow';

/**
 * Keeps timers few, since each adds history events: a timer starts only if no other is due as early. A timer that is no
 * longer needed is not cancelled, which would add another event.
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
      // Fails only if the workflow is cancelled, which is handled elsewhere.
      .catch(() => undefined);
  }
}
