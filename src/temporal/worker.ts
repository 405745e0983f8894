// Composition root of a worker: the one place where Temporal, the API client and the activities meet.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Client as TemporalClient } from '@temporalio/client';
import {
  type NativeConnection,
  type WorkerOptions as TemporalOptions,
  Worker,
} from '@temporalio/worker';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import type { Client } from '../api/client.ts';
import type { FieldNames } from '../api/field-names.ts';
import type { Workspace } from '../api/workspace.ts';
import type { Hints } from '../machinery/watch/hints.ts';
import { hostQueue } from '../plan/queues.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';
import { type Listening, listenForHints } from '../receiver/listen.ts';
import type { Environment } from '../settings/environment.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { CodecKeyMissingError, type Unreadable } from './codec/codec-errors.ts';
import { dataConverterOf } from './codec/data-converter.ts';
import { refuseUnreadable } from './codec/readable-runs.ts';
import type { Standing } from './deployments/standing.ts';
import { versionedCode, versionedOptions } from './deployments/versioned-options.ts';
import type { WorkerVersion } from './deployments/worker-version.ts';
import { namespaceIdOf, OpenWorkflows } from './open-workflows.ts';
import { watchOrphans } from './orphaned-shards.ts';
import { runPlaces } from './run-places.ts';
import { type Share, shareWithOthers } from './share-with-others.ts';
import type { Sharing } from './shared-allowance.ts';
import { forcedAfterMs, sideQueues } from './side-queues.ts';
import { pollQueueStatus } from './status/poll-queue-status.ts';
import { traceAttempts } from './trace-attempts.ts';
import { thisMachine } from './tuning/machine.ts';
import { type Tuning, tuningOf } from './tuning/tuning.ts';
import { workerSlots } from './tuning/worker-slots.ts';
import { identityOf } from './worker-identity.ts';
import { findWorkers } from './worker-presence.ts';
import { followRouting } from './worker-routing.ts';
import { builtBundle, workflowCode } from './workflow-code.ts';

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
  /** The machine, by the name that others share who see the same folders. @default that of the system */
  host?: string;
  /** @default 25_000 */
  shutdownGraceMs?: number;
  /** Secrets of the pipelines' own receivers (`notify:`), and keys of payloads. */
  environment?: Environment;
  /** Address of a receiver's hints; null: looks come at their ticks alone. */
  hintsUrl?: string | null;
  /** Told when the receiver begins or ceases to answer. */
  onHints?: (state: { listening: boolean; reason: string }) => void;
  /** Told when workers of the key begin or cease to share its allowance. */
  onSharing?: (state: Sharing) => void;
  /** Runs that it begins are pinned to this build; without it any worker goes on with any run. */
  version?: WorkerVersion;
  /** Nobody named its deployment, so it becomes current where no worker of the current build is left. */
  takesOver?: boolean;
  /** Told where the version stands at the queue, at first and whenever that changes. */
  onStanding?: (standing: Standing) => void;
  /** How much it does at once. @default what suits this machine */
  tuning?: Tuning;
  /** Workflows kept in memory; 0 forces a replay at every task. */
  maxCachedWorkflows?: number;
  /** Spans of what its activities do; null: nobody wants them. */
  tracing?: Tracing | null;
}

export interface RunningWorker {
  /** Settles when the worker has stopped; rejects when it broke. */
  done: Promise<void>;
  /** It polls for work. */
  isRunning(): boolean;
  /** Starts a graceful stop: running activities get their grace time. */
  shutdown(): void;
}

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { connection, namespace, taskQueue, host = hostname(), version } = options;
  let unreadable: Unreadable | null = null;
  let onUnreadable = () => {};
  const { environment = {} } = options;
  const dataConverter = dataConverterOf(environment, (error) => {
    // Others may have the key: what this worker fails to read it must not take again and again.
    if (unreadable !== null || !(error instanceof CodecKeyMissingError)) return;
    unreadable = error;
    onUnreadable();
  });
  // What a question to Temporal brings that cannot be read is no task that this worker must not take.
  const temporal = new TemporalClient({
    connection,
    namespace,
    dataConverter: dataConverterOf(environment),
  });
  await refuseUnreadable(temporal, taskQueue);
  const deps = await depsOf(options, temporal);
  const { hints } = deps.lookout;
  const common = { ...commonOf(options, deps, host), dataConverter };
  const tuning = options.tuning ?? tuningOf({}, thisMachine());
  const slots = workerSlots(tuning);
  const source = workflowSource(options.bundle, version);
  const worker = await Worker.create({
    ...common,
    ...slots.usual,
    ...versionedOptions(version),
    taskQueue,
    shutdownForceTime: common.shutdownGraceTime + forcedAfterMs,
    ...source,
    interceptors: { ...source.interceptors, ...common.interceptors },
    maxCachedWorkflows: options.maxCachedWorkflows ?? tuning.cachedWorkflows,
    // After a kill -9 a run waits this long for the dead worker before another takes it.
    stickyQueueScheduleToStartTimeout: '2s',
  });
  let isStopping = false;
  const beside = sideQueues(common, { taskQueue, host, version, slots }, () => {
    if (!isStopping) hints.open();
  });
  const ear = listenTo(options, hints);
  const routing = followRouting(temporal, options, deps.lookoutPost, (isOurs) => {
    // Held waits go on at the next lookout. They are held again once all have left, for this host's own.
    if (!isOurs) hints.close();
    beside.looks.set(isOurs);
  });
  const share = shareWithOthers(
    temporal,
    { ...options, identity: identityOf(host) },
    deps,
    routing.onLookout,
  );
  const orphans = watchOrphans(temporal, taskQueue);
  const stopPolling = pollQueueStatus(temporal, taskQueue);
  const stopAll = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    for (const one of beside.all) one.end();
  };
  const workers = [worker.run(), ...beside.all.map((one) => one.run())];
  const shutdown = () => {
    isStopping = true;
    // Held waits would else keep a worker that stops for all of its grace time.
    hints.close();
    void share.retire().then(stopAll);
  };
  onUnreadable = shutdown;
  const ended = untilStopped(workers, stopAll, ear, share).finally(() => {
    orphans.stop();
    stopPolling();
    routing.stop();
  });
  return {
    done: ended.then(() => {
      if (unreadable !== null) throw unreadable;
    }),
    isRunning: () => worker.getState() === 'RUNNING',
    shutdown,
  };
}

async function depsOf(options: WorkerOptions, temporal: TemporalClient): Promise<Deps> {
  const { client, namespace, taskQueue, apiKey } = options;
  const { workspace, environment, fields } = options;
  return createDeps({
    client,
    workflows: new OpenWorkflows(temporal, await namespaceIdOf(temporal, namespace)),
    hosts: async (of) => {
      const queue = of === undefined ? taskQueue : hostQueue(taskQueue, of);
      return (await findWorkers(temporal, queue, client.now(), 'activities')).hosts;
    },
    recentPlaces: async (sinceMs) => {
      const whose = { taskQueue, workspace: workspace?.id };
      return (await runPlaces(temporal, whose, sinceMs)).map(({ records }) => records);
    },
    secrets: [apiKey],
    ...withoutUndefined({ workspace, environment, fields }),
  });
}

/** Settings of all queues that it polls. */
function commonOf(
  { connection, namespace, shutdownGraceMs = 25_000, tracing = null }: WorkerOptions,
  deps: Deps,
  host: string,
) {
  return {
    connection,
    namespace,
    activities: createActivities(deps),
    interceptors: tracing === null ? {} : { activity: [traceAttempts(tracing)] },
    identity: identityOf(host),
    // So soon an activity hears that it is cancelled.
    maxHeartbeatThrottleInterval: '5s',
    shutdownGraceTime: shutdownGraceMs,
  } satisfies Partial<TemporalOptions>;
}

/** One that breaks ends the others, and is what is thrown. */
async function untilStopped(
  workers: readonly Promise<void>[],
  stopAll: () => void,
  ear: Listening | null,
  share: Share,
): Promise<void> {
  try {
    await Promise.all(workers);
  } finally {
    stopAll();
    await Promise.allSettled(workers);
    await ear?.stop();
    await share.stop();
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

/** The bundle made at build time, or the sources beside us when running from them. @throws Error for a version of sources */
export function workflowSource(
  bundle: string | undefined,
  version?: WorkerVersion,
): Pick<TemporalOptions, 'workflowBundle' | 'workflowsPath' | 'interceptors'> {
  const code = bundle === undefined ? builtBundle() : readFileSync(bundle, 'utf8');
  if (code !== null) return { workflowBundle: { code: version ? versionedCode(code) : code } };
  if (version) throw new Error('a worker with a version needs built workflow code: npm run build');
  const { workflowsPath, workflowInterceptorModules } = workflowCode();
  return { workflowsPath, interceptors: { workflowModules: workflowInterceptorModules } };
}
