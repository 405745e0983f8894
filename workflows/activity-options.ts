// Timeouts and retries of activities.
import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import type { Step } from '../src/plan/types.ts';

const graceMs = 10 * 60_000;
/** Every activity sends heartbeats; after so long without one its worker counts as dead. */
const silenceMs = 20_000;

/** Options of one activity of a step. Waits have no attempt limit, since each look that finds nothing is an attempt. */
export function stepOptions(
  step: Step,
  { summary, roomMs, isWait }: { summary: string; roomMs: number; isWait: boolean },
): ActivityOptions {
  return {
    summary: summary.slice(0, 190),
    startToCloseTimeout: step.startToCloseMs,
    // A rate-limit wait beyond this limit fails the activity at once, so it gets room of its own.
    scheduleToCloseTimeout: roomMs + graceMs,
    heartbeatTimeout: step.heartbeatMs ?? silenceMs,
    // Before a cancel goes on, a call must report what it still makes and remove its temporary files. A wait hears nothing
    // between two looks, so waiting for its end would take until the next one.
    cancellationType:
      isWait || step.aside
        ? ActivityCancellationType.TRY_CANCEL
        : ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
  };
}

/** For the engine's own short activities: opening, settling, discovering. */
export const bookkeeping: ActivityOptions = {
  startToCloseTimeout: '10m',
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
};
