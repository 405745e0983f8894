// The worker of a test: in the process of the test, or in one that may die.
import { type Connection, Client as TemporalClient } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { createDeps } from '../../../activities/deps.ts';
import { RateBudget } from '../../api/budget.ts';
import { createClient } from '../../api/client.ts';
import { workspaceOf } from '../../api/workspace.ts';
import { listenForHints } from '../../receiver/listen.ts';
import type { Environment } from '../../settings/environment.ts';
import { OpenWorkflows } from '../../temporal/open-workflows.ts';
import {
  type AttemptNews,
  type ServerClock,
  startSkippingWorker,
} from '../../temporal/skipping-worker.ts';
import type { Resources } from '../resources.ts';
import { SkippedTimers } from './skipped-timers.ts';

export const namespace = 'default';
export const taskQueue = 'test';

/** Where the worker finds its platform; plain data, since it may be in another process. */
export interface WorkerPlace {
  baseUrl: string;
  apiKey: string;
  /** Null where nobody receives notifications. */
  hintsUrl: string | null;
  environment: Environment;
}

export interface WorkerWays {
  /** Of its own. Left open where an activity does not end: a call that is tried again on a closed one breaks the process. */
  connection: Connection;
  nativeConnection: NativeConnection;
  clock: ServerClock;
  /** Told of each answer of the platform, before anything is done with it. */
  onAnswer?: (operation: string) => void;
  mayDie?: boolean;
  onBegin?: (node: string) => void;
  onAttempt?: (what: AttemptNews) => void;
}

/** Adds what it starts to `resources`. Gives what rejects when the worker breaks. */
export async function startTestWorker(
  resources: Resources,
  { baseUrl, apiKey, hintsUrl, environment }: WorkerPlace,
  { connection, nativeConnection, clock, onAnswer, onAttempt, ...ways }: WorkerWays,
): Promise<{ done: Promise<void> }> {
  let awake = 0;
  // All that are under way wait for their place, or will soon have ended.
  const timers = new SkippedTimers(
    () => clock.now(),
    async (ms) => {
      await Promise.allSettled(Array.from({ length: awake }, () => clock.sleep(ms)));
    },
  );
  const now = () => clock.now();
  const budget = new RateBudget({ clock: timers });
  const client = createClient({ baseUrl, apiKey, now, budget });
  resources.add("the worker's API client", () => client.close());
  if (onAnswer) {
    const count = client.counter.add.bind(client.counter);
    client.counter.add = (operation, status) => {
      count(operation, status);
      if (status !== undefined && status < 400) onAnswer(operation);
    };
  }
  const temporal = new TemporalClient({ connection, namespace });
  const deps = createDeps({
    client,
    workspace: await workspaceOf(client, { maxWaitMs: 10_000 }),
    workflows: new OpenWorkflows(temporal, undefined),
    secrets: [apiKey],
    environment,
    now,
  });
  const { hints } = deps.lookout;
  // A held wait is an attempt under way, and no time is skipped during one.
  hints.holds = false;
  if (hintsUrl !== null) {
    const ear = listenForHints({
      url: hintsUrl,
      apiKey,
      onHints: (heard) => hints.hear(heard),
      onState: ({ listening }) => {
        hints.listening = listening;
      },
    });
    resources.add("the worker's ear", () => ear.stop());
  }
  const worker = await startSkippingWorker({
    connection: nativeConnection,
    namespace,
    taskQueue,
    deps,
    clock,
    onAttempt(what) {
      awake += what === 'begun' || what === 'awake' ? 1 : -1;
      onAttempt?.(what);
    },
    ...ways,
  });
  resources.add('the worker', async () => {
    worker.shutdown();
    await worker.done.then(() => connection.close()).catch(() => undefined);
  });
  return { done: worker.done };
}
