// Queues, timeouts and retries of activities.
import {
  ActivityCancellationType,
  type ActivityOptions,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../src/plan/contract.ts';
import { priorityOf } from '../src/plan/priority.ts';
import { queueOf } from '../src/plan/queues.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import type { Step } from '../src/plan/types.ts';

const graceMs = 10 * 60_000;
/** Every activity sends heartbeats; after so long without one its worker counts as dead. */
const silenceMs = 20_000;

/**
 * Options of one activity of a step. Waits have no attempt limit, since each look that finds nothing is an attempt.
 * @param chainMs what the steps may take with which it goes on
 */
export function stepOptions(
  step: Step,
  context: RunContext,
  {
    summary,
    roomMs,
    isWait,
    chainMs,
  }: { summary: string; roomMs: number; isWait: boolean; chainMs: number },
): ActivityOptions {
  return {
    ...queueing(context, isWait),
    summary: summary.slice(0, 190),
    startToCloseTimeout: step.startToCloseMs + chainMs,
    // A rate-limit wait beyond this limit fails the activity at once, so it gets room of its own.
    scheduleToCloseTimeout: roomMs + chainMs + graceMs,
    heartbeatTimeout: step.heartbeatMs ?? silenceMs,
    // Before a cancel goes on, a call must report what it still makes and remove its temporary files. A wait hears nothing
    // between two looks, so waiting for its end would take until the next one.
    cancellationType:
      isWait || step.aside
        ? ActivityCancellationType.TRY_CANCEL
        : ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Attempts say themselves when the next is due. This is for those whose worker died, and looks have had many before.
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: isWait ? '5s' : '60s' },
  };
}

/** For the engine's own short activities: opening, settling, discovering. */
const bookkeeping: ActivityOptions = {
  startToCloseTimeout: '10m',
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
};

/** The engine's own activities, where those of this run belong. @param more options that differ from the usual */
export function booksOf(context: RunContext, more: ActivityOptions = {}) {
  return proxyActivities<Activities>({ ...bookkeeping, ...queueing(context, false), ...more });
}

function queueing(context: RunContext, isLook: boolean): ActivityOptions {
  const taskQueue = queueOf(workflowInfo().taskQueue, context, isLook);
  return { priority: priorityOf(context), ...(taskQueue === undefined ? {} : { taskQueue }) };
}
