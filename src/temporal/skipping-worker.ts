// A worker on a server that skips time: the real workflows and activities, on every queue that a worker polls but for
// those of hosts. It shares nothing with others, since workflows that never end would hold the time.
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
import type { Deps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import { looseFields } from '../api/loose-fields.ts';
import { looksQueue, urgentQueue } from '../plan/queues.ts';
import type { StepInput } from '../plan/step-contract.ts';
import { workflowSource } from './worker.ts';

/** An attempt that sleeps lets time pass. */
export type AttemptNews = 'begun' | 'asleep' | 'awake' | 'ended';

export interface SkippingWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  deps: Deps;
  clock: ServerClock;
  /** It keeps no workflow in memory: the server would wait for it with each task of one that it had, also after its death. */
  mayDie?: boolean;
  /** Told of the node whose work begins, before it does. */
  onBegin?: (node: string) => void;
  /** Told of each attempt, also of those that are of no node. */
  onAttempt?: (what: AttemptNews) => void;
}

/** The server's time. */
export interface ServerClock {
  now(): number;
  /** Asks for it. */
  read(): Promise<void>;
  /** Lets it pass: at once where nothing else is under way. */
  sleep(ms: number): Promise<void>;
}

export interface SkippingWorker {
  /** Settles when it has stopped; rejects when it broke. */
  done: Promise<void>;
  shutdown(): void;
}

export async function startSkippingWorker(options: SkippingWorkerOptions): Promise<SkippingWorker> {
  const { connection, namespace, taskQueue, deps } = options;
  const common = {
    connection,
    namespace,
    activities: createActivities(deps),
    interceptors: { activity: [() => ({ inbound: new SleepsInAttempts(options) })] },
    // Cancels are heard with heartbeats, and hours pass in a moment.
    maxHeartbeatThrottleInterval: 20,
    shutdownGraceTime: 0,
    shutdownForceTime: '2s',
  } satisfies Partial<WorkerOptions>;
  const { interceptors, ...workflows } = workflowSource(undefined);
  const workers = await Promise.all([
    Worker.create({
      ...common,
      ...workflows,
      ...(options.mayDie ? { maxCachedWorkflows: 0 } : {}),
      interceptors: { ...interceptors, ...common.interceptors },
      taskQueue,
    }),
    ...[looksQueue(taskQueue), urgentQueue(taskQueue)].map((queue) =>
      Worker.create({ ...common, taskQueue: queue }),
    ),
  ]);
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const done = untilStopped(workers, shutdown);
  // A test that fails before anybody waits must not end the process.
  done.catch(() => undefined);
  return { done, shutdown };
}

/** One that breaks ends the others, and is what is thrown. */
async function untilStopped(workers: readonly Worker[], shutdown: () => void): Promise<void> {
  const working = workers.map((worker) => worker.run());
  try {
    await Promise.all(working);
  } finally {
    shutdown();
    await Promise.allSettled(working);
  }
}

/**
 * The server skips no time while an attempt is put off, so what would be put off sleeps in its attempt instead: a wait until
 * its next look, a failure until it is tried again.
 */
class SleepsInAttempts implements ActivityInboundCallsInterceptor {
  readonly #options: Pick<SkippingWorkerOptions, 'clock' | 'onBegin' | 'onAttempt' | 'mayDie'>;

  constructor(options: SkippingWorkerOptions) {
    this.#options = options;
  }

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const { onAttempt } = this.#options;
    onAttempt?.('begun');
    try {
      return await this.#untilDone(input, next);
    } finally {
      onAttempt?.('ended');
    }
  }

  async #untilDone(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const { clock, onBegin } = this.#options;
    // Activities of steps take a StepInput; others have neither field.
    const asked: Wait = looseFields(input.args[0]);
    const { step } = asked;
    for (;;) {
      await clock.read();
      if (step?.node !== undefined) onBegin?.(step.node);
      try {
        return await next(input);
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error;
        const { nextRetryDelay: delayMs, type } = error;
        if (typeof delayMs !== 'number') throw error;
        const isLook = type === 'NOT_YET';
        await this.#sleep(
          isLook ? patientMs(delayMs, asked, clock.now()) : delayMs,
          step !== undefined,
        );
        if (!isLook) throw soon(error);
      }
    }
  }

  /** Those that the server watches closely are heard of in between. */
  async #sleep(ms: number, isStep: boolean): Promise<void> {
    const { clock, mayDie, onAttempt } = this.#options;
    const activity = Context.current();
    const sliceMs = isStep && !mayDie ? ms : watchedSliceMs;
    onAttempt?.('asleep');
    try {
      for (let leftMs = ms; leftMs > 0; leftMs -= sliceMs) {
        await clock.sleep(Math.min(leftMs, sliceMs));
        activity.heartbeat();
        activity.cancellationSignal.throwIfAborted();
      }
    } finally {
      onAttempt?.('awake');
    }
  }
}

const watchedSliceMs = 5_000;

type Wait = Partial<Pick<StepInput, 'wait' | 'step'>>;

/** The shortest delay that the server takes. */
function soon(error: ApplicationFailure): ApplicationFailure {
  const { message, type, details, category } = error;
  return ApplicationFailure.create({
    message,
    nextRetryDelay: 1,
    details: details ?? [],
    ...(type ? { type } : {}),
    ...(category ? { category } : {}),
  });
}

/** A look costs real time, so after a long wait it comes later than it would, by this share of the wait, but never after a deadline. */
const patience = 1 / 16;

function patientMs(delayMs: number, { wait, step }: Wait, nowMs: number): number {
  const entered = wait?.enteredAtMs ?? [];
  const newestMs = Math.max(...entered);
  if (!Number.isFinite(newestMs)) return delayMs;
  const leftMs = entered.map((ms) => ms + (step?.timeoutMs ?? Infinity) - nowMs);
  const longMs = Math.max(delayMs, (nowMs - newestMs) * patience);
  return Math.max(1, Math.min(longMs, ...leftMs.filter((ms) => ms > 0)));
}
