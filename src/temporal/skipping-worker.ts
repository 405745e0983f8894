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
import { looksQueue, urgentQueue } from '../plan/queues.ts';
import type { SkippedClock } from './skipped-clock.ts';
import { workflowSource } from './worker.ts';

export interface SkippingWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  deps: Deps;
  clock: SkippedClock;
  /** Awaited before time passes: the platform ends what it does behind its answers. */
  settle: () => Promise<void>;
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
 * The server skips no time while an attempt is put off, so a wait that would be put off sleeps in its attempt instead.
 * Attempts that failed are put off by the server, as anywhere.
 */
class SleepsInAttempts implements ActivityInboundCallsInterceptor {
  readonly #clock: SkippedClock;
  readonly #settle: () => Promise<void>;

  constructor({ clock, settle }: Pick<SkippingWorkerOptions, 'clock' | 'settle'>) {
    this.#clock = clock;
    this.#settle = settle;
  }

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    for (;;) {
      await this.#clock.read();
      try {
        return await next(input);
      } catch (error) {
        const delayMs = delayOf(error);
        if (delayMs === null) throw error;
        await this.#settle();
        await this.#clock.sleep(delayMs);
        const activity = Context.current();
        activity.heartbeat();
        activity.cancellationSignal.throwIfAborted();
      }
    }
  }
}

/** How long a look that saw nothing new waits for the next one. */
function delayOf(error: unknown): number | null {
  if (!(error instanceof ApplicationFailure) || error.type !== 'NOT_YET') return null;
  return typeof error.nextRetryDelay === 'number' ? error.nextRetryDelay : null;
}
