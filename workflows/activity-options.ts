// How long activities may take and how they are tried again.
import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import type { Step } from '../src/plan/types.ts';

const graceMs = 10 * 60_000;
/** A worker that died is noticed after so long: every activity gives signs of life. */
const silenceMs = 20_000;

/** Options of one activity of a step. Waits have no attempt limit: each look that finds nothing is one. */
export function stepOptions(
  step: Step,
  { summary, roomMs, isWait }: { summary: string; roomMs: number; isWait: boolean },
): ActivityOptions {
  return {
    summary: summary.slice(0, 190),
    startToCloseTimeout: step.startToCloseMs,
    // A rate-limit wait that would pass this limit fails the activity at once, so it gets room of its own.
    scheduleToCloseTimeout: roomMs + graceMs,
    heartbeatTimeout: step.heartbeatMs ?? silenceMs,
    // What a call still makes must be known, and its temporary files be gone, before a cancel goes on. Between two looks
    // nobody hears of it, so a wait would stand still until the next one.
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
