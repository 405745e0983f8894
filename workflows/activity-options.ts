// Queues, timeouts and retries of activities.
import {
  ActivityCancellationType,
  type ActivityOptions,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../src/plan/contract/contract.ts';
import { priorityOf } from '../src/plan/run/priority.ts';
import { queueOf } from '../src/plan/run/queues.ts';
import type { RunContext } from '../src/plan/run/run-context.ts';
import type { Step } from '../src/plan/types.ts';
import { activitySummaries } from './activity-summaries.ts';

const graceMs = 10 * 60_000;
/** Every activity sends heartbeats. After this time without one its worker counts as dead. */
const heartbeatTimeoutMs = 20_000;

/**
 * Options of one activity of a step. Waits have no attempt limit, since each poll without a result is an attempt.
 * @param chainMs additional time for the chained steps
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
    ...queueOptions(context, isWait),
    summary: summary.slice(0, 190),
    startToCloseTimeout: step.startToCloseMs + chainMs,
    // A rate limit wait beyond this limit fails the activity at once, so the limit includes a margin.
    scheduleToCloseTimeout: roomMs + chainMs + graceMs,
    heartbeatTimeout: step.heartbeatMs ?? heartbeatTimeoutMs,
    // Before a cancel continues, a call must report what it is still creating, and delete its temporary files. A wait
    // learns nothing between two polls, so waiting for its end would take until the next poll.
    cancellationType:
      isWait || step.isSideStep
        ? ActivityCancellationType.TRY_CANCEL
        : ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Attempts set their next delay themselves. These values apply after a worker died; waits have had many attempts by then.
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: isWait ? '5s' : '60s' },
  };
}

/** For the engine's own short activities: opening, finalizing, discovering. */
const engineOptions: ActivityOptions = {
  startToCloseTimeout: '10m',
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
};

/**
 * One of the engine's own activities, at the queue of this run.
 * @param more options that differ from the defaults
 */
export function engineActivity<Name extends keyof Activities>(
  name: Name,
  context: RunContext,
  more: ActivityOptions = {},
) {
  return proxyActivities<Activities>({
    ...engineOptions,
    ...queueOptions(context, false),
    summary: activitySummaries[name],
    ...more,
  })[name];
}

function queueOptions(context: RunContext, isPoll: boolean): ActivityOptions {
  const taskQueue = queueOf(workflowInfo().taskQueue, context, isPoll);
  return { priority: priorityOf(context), ...(taskQueue === undefined ? {} : { taskQueue }) };
}
