// Composition root of a worker: the one place where Temporal, the API client and the activities meet.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client as TemporalClient } from '@temporalio/client';
import { type NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { createDeps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import type { Client } from '../api/client.ts';
import type { FieldNames } from '../api/field-names.ts';
import type { Workspace } from '../api/workspace.ts';
import type { Hints } from '../machinery/watch/hints.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';
import { type Listening, listenForHints } from '../receiver/listen.ts';
import type { Environment } from '../settings/environment.ts';
import { namespaceIdOf, OpenWorkflows } from './open-workflows.ts';
import { watchOrphans } from './orphaned-shards.ts';

export interface WorkerOptions {
  connection: NativeConnection;
  namespace: string;
  client: Client;
  /** The key, so that it can be blotted out wherever it might show. */
  apiKey: string;
  /** Names of fields that the platform's document does not show. */
  fields?: FieldNames;
  /** That of the key: runs of others are refused. */
  workspace?: Workspace;
  taskQueue: string;
  /** Compiled workflow code, when it does not lie beside the compiled program. */
  bundle?: string;
  /** Shown in the UI; default is process and host. */
  identity?: string;
  /** @default 25_000 */
  shutdownGraceMs?: number;
  /** Secrets of the pipelines' own receivers (`notify:`). */
  environment?: Environment;
  /** Address of a receiver's hints; null: looks come at their ticks alone. */
  hintsUrl?: string | null;
  /** Told when the receiver begins or ceases to answer. */
  onHints?: (state: { listening: boolean; reason: string }) => void;
  /** Workflows kept in memory; 0 forces a replay at every task. */
  maxCachedWorkflows?: number;
}

export interface RunningWorker {
  /** Settles when the worker has stopped; rejects when it broke. */
  done: Promise<void>;
  /** It polls for work. */
  isRunning(): boolean;
  /** Starts a graceful stop: running activities get their grace time. */
  shutdown(): void;
}

/** Attempts in flight. Most wait for the platform; transfers are bounded on their own. */
const activitiesAtOnce = 100;

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const temporal = new TemporalClient({
    connection: options.connection,
    namespace: options.namespace,
  });
  const deps = createDeps({
    client: options.client,
    workflows: new OpenWorkflows(temporal, await namespaceIdOf(temporal, options.namespace)),
    secrets: [options.apiKey],
    ...withoutUndefined({
      workspace: options.workspace,
      environment: options.environment,
      fields: options.fields,
    }),
  });
  const worker = await Worker.create({
    connection: options.connection,
    namespace: options.namespace,
    taskQueue: options.taskQueue,
    activities: createActivities(deps),
    ...workflowSource(options.bundle),
    ...withoutUndefined({
      identity: options.identity,
      maxCachedWorkflows: options.maxCachedWorkflows,
    }),
    maxConcurrentActivityTaskExecutions: activitiesAtOnce,
    // So soon an activity hears that it is cancelled.
    maxHeartbeatThrottleInterval: '5s',
    // After a kill -9 a run waits this long for the dead worker before another takes it.
    stickyQueueScheduleToStartTimeout: '2s',
    shutdownGraceTime: options.shutdownGraceMs ?? 25_000,
    shutdownForceTime: (options.shutdownGraceMs ?? 25_000) + 10_000,
  });
  const { hints } = deps.lookout;
  const ear = listenTo(options, hints);
  const orphans = watchOrphans(temporal, options.taskQueue);
  const done = untilStopped(worker, ear).finally(() => orphans.stop());
  return {
    done,
    isRunning: () => worker.getState() === 'RUNNING',
    shutdown() {
      // Held waits would else keep a worker that stops for all of its grace time.
      hints.close();
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

async function untilStopped(worker: Worker, ear: Listening | null): Promise<void> {
  try {
    await worker.run();
  } finally {
    await ear?.stop();
  }
}

function listenTo(
  { hintsUrl = null, apiKey, onHints }: WorkerOptions,
  hints: Hints,
): Listening | null {
  if (hintsUrl === null) return null;
  let told: boolean | null = null;
  return listenForHints({
    url: hintsUrl,
    apiKey,
    onHints: (heard) => hints.hear(heard),
    onState: (state) => {
      hints.listening = state.listening;
      if (told !== state.listening) onHints?.(state);
      told = state.listening;
    },
  });
}

/** The bundle made at build time, or the sources beside us when running from them. */
function workflowSource(
  bundle: string | undefined,
): { workflowBundle: WorkflowBundleOption } | { workflowsPath: string } {
  if (bundle !== undefined) return { workflowBundle: { code: readFileSync(bundle, 'utf8') } };
  const built = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  if (existsSync(built)) return { workflowBundle: { code: readFileSync(built, 'utf8') } };
  return { workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)) };
}
