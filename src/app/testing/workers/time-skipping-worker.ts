// A worker for a time-skipping server, with the real workflows and activities, on every task queue except those of
// hosts. It does not coordinate with other workers, because the workflows for this never close and would stop time.
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import {
  type ActivityExecuteInput,
  type ActivityInboundCallsInterceptor,
  type NativeConnection,
  type Next,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Deps } from '../../../../activities/deps.ts';
import { createActivities } from '../../../../activities/index.ts';
import { asRecord } from '../../../api/unknown-values.ts';
import { pollQueue, urgentQueueOf } from '../../../plan/run/queues.ts';
import type { StepInput } from '../../../plan/shard/step-contract.ts';
import { waitForWorkers, workflowSourceOf } from '../../worker/worker.ts';

/** Phases of an activity attempt. Server time can pass while the attempt is asleep. */
export type AttemptPhase = 'started' | 'asleep' | 'awake' | 'finished';

export interface TimeSkippingWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  deps: Deps;
  clock: ServerClock;
  /**
   * True if the test kills this worker. The worker then caches no workflows, because the server would wait for the dead
   * worker at each task of a cached workflow.
   */
  isKillable?: boolean;
  onNodeStart?: (node: string) => void;
  /** Called in each phase of each attempt, including attempts that belong to no node. */
  onAttempt?: (phase: AttemptPhase) => void;
}

export interface ServerClock {
  now(): number;
  read(): Promise<void>;
  /** Lets server time pass. Returns at once if nothing else is running. */
  sleep(ms: number): Promise<void>;
}

/** Starts the worker. @returns `done` settles when the worker has stopped, and rejects if it failed */
export async function startTimeSkippingWorker(
  options: TimeSkippingWorkerOptions,
): Promise<{ done: Promise<void>; shutdown: () => void }> {
  const { connection, namespace, taskQueue, deps } = options;
  const common = {
    connection,
    namespace,
    activities: createActivities(deps),
    interceptors: { activity: [() => ({ inbound: new SleepInAttempt(options) })] },
    // Heartbeats deliver cancellations. They must be frequent, because hours of server time pass in a moment.
    maxHeartbeatThrottleInterval: 20,
    shutdownGraceTime: 0,
    shutdownForceTime: '2s',
  } satisfies Partial<WorkerOptions>;
  const { interceptors, ...workflows } = workflowSourceOf(undefined);
  const workers = await Promise.all([
    Worker.create({
      ...common,
      ...workflows,
      ...(options.isKillable ? { maxCachedWorkflows: 0 } : {}),
      interceptors: { ...interceptors, ...common.interceptors },
      taskQueue,
    }),
    ...[pollQueue(taskQueue), urgentQueueOf(taskQueue)].map((queue) =>
      Worker.create({ ...common, taskQueue: queue }),
    ),
  ]);
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const workerRuns = workers.map((worker) => worker.run());
  const done = waitForWorkers(workerRuns, shutdown);
  // The promise may reject before the test awaits it, which must not end the process.
  done.catch(() => undefined);
  return { done, shutdown };
}

/**
 * Sleeps inside the attempt instead of between attempts, because the server skips no time while the retry of an
 * activity is delayed. A wait sleeps until its next poll, and a failed step until its next retry.
 */
class SleepInAttempt implements ActivityInboundCallsInterceptor {
  readonly #options: TimeSkippingWorkerOptions;
  constructor(options: TimeSkippingWorkerOptions) {
    this.#options = options;
  }

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const { onAttempt } = this.#options;
    onAttempt?.('started');
    try {
      return await this.#executeUntilDone(input, next);
    } finally {
      onAttempt?.('finished');
    }
  }

  async #executeUntilDone(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const { clock, onNodeStart } = this.#options;
    // Only step activities receive a StepInput. For other activities, both fields are undefined.
    const waitInput: Wait = asRecord(input.args[0]);
    const { step } = waitInput;
    for (;;) {
      await clock.read();
      if (step?.node !== undefined) onNodeStart?.(step.node);
      try {
        return await next(input);
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error;
        const { nextRetryDelay: delayMs, type } = error;
        if (typeof delayMs !== 'number') throw error;
        const isPoll = type === 'NOT_YET';
        const sleepMs = isPoll ? lengthenDelay(delayMs, waitInput, clock.now()) : delayMs;
        await this.#sleep(sleepMs, step !== undefined);
        if (!isPoll) throw retryAtOnce(error);
      }
    }
  }

  /** Sleeps in slices, with heartbeats in between. A step sleeps in one slice unless the test kills the worker. */
  async #sleep(ms: number, isStep: boolean): Promise<void> {
    const { clock, isKillable, onAttempt } = this.#options;
    const activity = Context.current();
    const sliceMs = isStep && !isKillable ? ms : heartbeatSliceMs;
    onAttempt?.('asleep');
    try {
      for (let remainingMs = ms; remainingMs > 0; remainingMs -= sliceMs) {
        await clock.sleep(Math.min(remainingMs, sliceMs));
        activity.heartbeat();
        activity.cancellationSignal.throwIfAborted();
      }
    } finally {
      onAttempt?.('awake');
    }
  }
}

const heartbeatSliceMs = 5_000;

type Wait = Partial<Pick<StepInput, 'wait' | 'step'>>;

/** Returns the same failure with the shortest retry delay that the server supports. */
function retryAtOnce(error: ApplicationFailure): ApplicationFailure {
  const { message, type, details, category } = error;
  return ApplicationFailure.create({
    message,
    nextRetryDelay: 1,
    details: details ?? [],
    ...(type ? { type } : {}),
    ...(category ? { category } : {}),
  });
}

/**
 * Minimum delay of a poll, as a share of the time already waited, because a poll costs real time. A poll is never
 * delayed beyond a timeout of the step.
 */
const delayGrowth = 1 / 16;

function lengthenDelay(delayMs: number, { wait, step }: Wait, nowMs: number): number {
  const entryTimes = wait?.enteredAtMs ?? [];
  const newestAtMs = Math.max(...entryTimes);
  if (!Number.isFinite(newestAtMs)) return delayMs;
  const remainingMs = entryTimes.map((ms) => ms + (step?.timeoutMs ?? Infinity) - nowMs);
  const lengthenedMs = Math.max(delayMs, (nowMs - newestAtMs) * delayGrowth);
  return Math.max(1, Math.min(lengthenedMs, ...remainingMs.filter((ms) => ms > 0)));
}
