// Queues, timeouts and retries of activities.
import {
  ActivityCancellationType,
  type ActivityOptions,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../src/plan/contract/contract.ts';
import { priorityOf } from '../src/plan/run/priority.ts';
import { chooseQueue } from '../src/plan/run/queues.ts';
import type { RunContext } from '../src/plan/run/run-context.ts';
import type { Step } from '../src/plan/types.ts';
import { activitySummaries } from './activity-summaries.ts';

const graceMs = 10 * 60_000;
/**
 * How long an attempt may wait for the rate limit, in addition to the time that it may take otherwise. After a timeout,
 * the next attempt starts from the beginning, so an attempt with a request per asset would otherwise never end.
 */
const rateLimitWaitMs = 2 * 3_600_000;
/** Default of steps, whose activities all send heartbeats. After this time without one, the worker counts as dead. */
const heartbeatTimeoutMs = 20_000;

/**
 * Returns the options of one activity of a step. Attempts are not limited, because a wait retries until it has results.
 * @param remainingMs time that is left for all attempts together
 * @param chainMs additional time for the chained steps
 */
export function stepOptions(
  step: Step,
  context: RunContext,
  {
    summary,
    remainingMs,
    isWait,
    chainMs,
  }: { summary: string; remainingMs: number; isWait: boolean; chainMs: number },
): ActivityOptions {
  return {
    ...queueOptions(context, isWait),
    summary: summary.slice(0, 190),
    // Polls are shared, so the next attempt of a wait continues the poll.
    startToCloseTimeout: step.startToCloseMs + chainMs + (isWait ? 0 : rateLimitWaitMs),
    // Temporal fails an activity at once if its next retry would start after this timeout. The margin leaves room for
    // retries that a rate limit delays.
    scheduleToCloseTimeout: remainingMs + chainMs + graceMs,
    heartbeatTimeout: step.heartbeatMs ?? heartbeatTimeoutMs,
    // A cancelled call must first report what it creates, and delete its temporary files. Between two polls of a wait
    // no running attempt could notice the cancellation, so waiting for its end would take until the next poll.
    cancellationType:
      isWait || step.isSideStep
        ? ActivityCancellationType.TRY_CANCEL
        : ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Each attempt sets the delay of its next retry, so these values apply only after a timeout, for example if a
    // worker died. The maximum is short for waits, because a wait has many attempts and each attempt doubles the delay.
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: isWait ? '5s' : '60s' },
  };
}

/** Defaults for the engine's own activities, such as opening, finalizing and discovering. */
const engineOptions: ActivityOptions = {
  startToCloseTimeout: 10 * 60_000 + rateLimitWaitMs,
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
};

/**
 * Returns a function that schedules one of the engine's own activities, on the task queue in the run's context.
 * @param overrides options that differ from the defaults
 */
export function proxyEngineActivity<Name extends keyof Activities>(
  name: Name,
  context: RunContext,
  overrides: ActivityOptions = {},
) {
  return proxyActivities<Activities>({
    ...engineOptions,
    ...queueOptions(context, false),
    summary: activitySummaries[name],
    ...overrides,
  })[name];
}

function queueOptions(context: RunContext, isPoll: boolean): ActivityOptions {
  const taskQueue = chooseQueue(workflowInfo().taskQueue, context, isPoll);
  return { priority: priorityOf(context), ...(taskQueue === undefined ? {} : { taskQueue }) };
}
