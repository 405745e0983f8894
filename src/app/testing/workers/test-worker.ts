// The worker of a test, in the test's process or in a separate process that the test kills.
import { type Connection, Client as TemporalClient } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { createDeps } from '../../../../activities/deps.ts';
import { createClient } from '../../../api/client.ts';
import { RateBudget } from '../../../api/rate-limit/budget.ts';
import { readWorkspace } from '../../../api/workspace.ts';
import type { Environment } from '../../../settings/environment.ts';
import { TemporalWorkflowQueries } from '../../../temporal/runs/workflow-queries.ts';
import type { CleanupStack } from '../../cleanup-stack.ts';
import { startListening } from '../../worker/worker.ts';
import { SkippedTimers } from './skipped-timers.ts';
import { startTimeSkippingWorker, type TimeSkippingWorkerOptions } from './time-skipping-worker.ts';

export const namespace = 'default';
export const taskQueue = 'test';

/** Configuration of the worker. It is plain data, because it may be sent to another process. */
export interface TestWorkerConfig {
  baseUrl: string;
  apiKey: string;
  /** Address of wake-ups. Null if the test receives no notifications. */
  wakeUpsUrl: string | null;
  environment: Environment;
}

export interface TestWorkerDeps
  extends Omit<TimeSkippingWorkerOptions, 'connection' | 'namespace' | 'taskQueue' | 'deps'> {
  /**
   * Connection that only this worker uses. It stays open if an activity hangs, because a retried call on a closed
   * connection would crash the process.
   */
  connection: Connection;
  nativeConnection: NativeConnection;
  /** Called with each successful response of the platform, before the response is processed. */
  onResponse?: (operation: string) => void;
}

/** Starts the worker and adds it to `resources`. @returns `done` rejects if the worker fails */
export async function startTestWorker(
  resources: CleanupStack,
  { baseUrl, apiKey, wakeUpsUrl, environment }: TestWorkerConfig,
  { connection, nativeConnection, clock, onResponse, onAttempt, ...options }: TestWorkerDeps,
): Promise<{ done: Promise<void> }> {
  let awakeAttempts = 0;
  // Every attempt that is awake either waits for the rate limit or ends soon, so each one may skip time.
  const timers = new SkippedTimers(
    () => clock.now(),
    async (ms) => {
      await Promise.allSettled(Array.from({ length: awakeAttempts }, () => clock.sleep(ms)));
    },
  );
  const now = () => clock.now();
  const budget = new RateBudget({ clock: timers });
  const client = createClient({ baseUrl, apiKey, now, budget });
  resources.add("the worker's API client", () => client.close());
  if (onResponse) {
    const count = client.counter.add.bind(client.counter);
    client.counter.add = (operation, status) => {
      count(operation, status);
      if (status !== undefined && status < 400) onResponse(operation);
    };
  }
  const temporal = new TemporalClient({ connection, namespace });
  // The time-skipping server cannot list runs, and the records of a test are never missing.
  const workflows = Object.assign(new TemporalWorkflowQueries(temporal, undefined), {
    findCompletedRun: async () => null,
  });
  const deps = createDeps({
    client,
    workspace: await readWorkspace(client, { maxWaitMs: 10_000 }),
    workflows,
    secrets: [apiKey],
    environment,
    now,
  });
  const { wakeUps } = deps.pollerContext;
  // A held wait counts as a running attempt, and time cannot be skipped during an attempt.
  wakeUps.canHoldWaits = false;
  const listener = startListening({ wakeUpsUrl, apiKey }, wakeUps);
  if (listener !== null) resources.add("the worker's wake-up stream", () => listener.stop());
  const worker = await startTimeSkippingWorker({
    connection: nativeConnection,
    namespace,
    taskQueue,
    deps,
    clock,
    onAttempt(phase) {
      awakeAttempts += phase === 'started' || phase === 'awake' ? 1 : -1;
      onAttempt?.(phase);
    },
    ...options,
  });
  resources.add('the worker', async () => {
    worker.shutdown();
    await worker.done.then(() => connection.close()).catch(() => undefined);
  });
  return { done: worker.done };
}
