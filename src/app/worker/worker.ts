// Composition root of a worker. Connects Temporal, the API client and the activities.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Client as TemporalClient } from '@temporalio/client';
import {
  type NativeConnection,
  type WorkerOptions as TemporalOptions,
  Worker,
} from '@temporalio/worker';
import { createDeps, type Deps } from '../../../activities/deps.ts';
import { createActivities } from '../../../activities/index.ts';
import type { Client } from '../../api/client.ts';
import type { FieldNames } from '../../api/requests/field-names.ts';
import type { Workspace } from '../../api/workspace.ts';
import type { WakeUps } from '../../engine/polling/wake-ups.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { causeOfPause } from '../../plan/run/general-pause.ts';
import { hostQueue } from '../../plan/run/queues.ts';
import { listenForWakeUps, type WakeUpListener } from '../../receiver/listen-for-wake-ups.ts';
import type { Environment } from '../../settings/environment.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { CodecKeyMissingError, type UnreadableError } from '../../temporal/codec/codec-errors.ts';
import { createDataConverter } from '../../temporal/codec/data-converter.ts';
import type { RoutingStatus } from '../../temporal/deployments/routing-status.ts';
import {
  toVersionedCode,
  toVersionedOptions,
} from '../../temporal/deployments/versioned-options.ts';
import type { WorkerVersion } from '../../temporal/deployments/worker-version.ts';
import { assertRunsReadable } from '../../temporal/runs/assert-runs-readable.ts';
import { findGeneralPause } from '../../temporal/runs/general-pause.ts';
import { watchOrphans } from '../../temporal/runs/orphaned-shards.ts';
import { listRecordsLocations } from '../../temporal/runs/records-locations.ts';
import { readNamespaceId, TemporalWorkflowQueries } from '../../temporal/runs/workflow-queries.ts';
import { pollQueueStatus } from '../../temporal/status/poll-queue-status.ts';
import { readMachine } from '../../temporal/tuning/machine.ts';
import { resolveTuning, type Tuning } from '../../temporal/tuning/tuning.ts';
import { workerSlotsOf } from '../../temporal/tuning/worker-slots.ts';
import { workflowUrl } from '../../temporal/ui-links.ts';
import { createWorkerIdentity } from '../../temporal/worker-identity.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import { findWorkflowCode, readBuiltBundle } from '../../temporal/workflow-code.ts';
import { coordinateWorkers } from './coordination/coordinate-workers.ts';
import { createSideQueues, forceShutdownAfterMs } from './coordination/create-side-queues.ts';
import type { SharingState } from './coordination/shared-allowance.ts';
import { traceAttempts } from './trace-attempts.ts';

export interface WorkerOptions {
  connection: NativeConnection;
  namespace: string;
  client: Client;
  apiKey: string;
  /** Names of fields that the platform's reference does not document. */
  fields?: FieldNames;
  /** The workspace of the key. Runs of other workspaces are refused. */
  workspace?: Workspace;
  taskQueue: string;
  /** Path of the workflow bundle, if it is not next to the compiled program. */
  bundle?: string;
  /** Name of the host, shared by workers that see the same folders. @default the system's host name */
  host?: string;
  /** @default 25_000 */
  shutdownGraceMs?: number;
  /** Environment with the encryption keys and with the secrets of pipelines' own receivers (`notify:`). */
  environment?: Environment;
  /** URL for a receiver's wake-ups. Null if the platform is polled only at fixed intervals. */
  wakeUpsUrl?: string | null;
  /** Address of the Temporal UI, for links in notices. Null if unknown. */
  temporalUi?: string | null;
  /** Address of the team's pages, and secret key for links to them in notices. Null if not configured. */
  decisionLinks?: { origin: string; key: string } | null;
  onWakeUpState?: (state: { listening: boolean; reason: string }) => void;
  /** Called when the workers that use the key start or stop sharing its allowance. */
  onSharing?: (state: SharingState) => void;
  /** Version to which runs that this worker starts are pinned. Without a version, any worker can continue any run. */
  version?: WorkerVersion;
  /** True if no deployment was given. The version then becomes current once the current build has no workers left. */
  takesOver?: boolean;
  /** Called with the routing status of the version, initially and whenever it changes. */
  onRoutingStatus?: (status: RoutingStatus) => void;
  /** Concurrency of the worker. @default values that fit this machine */
  tuning?: Tuning;
  /** Number of cached workflows. 0 forces a replay at every workflow task. */
  maxCachedWorkflows?: number;
  /** Tracing of the worker's activities. Null if off. */
  tracing?: Tracing | null;
}

export interface RunningWorker {
  /** Settles when the worker has stopped. Rejects if the worker failed. */
  done: Promise<void>;
  /** True while the worker polls for tasks. */
  isRunning(): boolean;
  /** Starts a graceful shutdown, with a grace period for running activities. */
  shutdown(): void;
}

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { connection, namespace, taskQueue, host = hostname(), version } = options;
  const { environment = {} } = options;
  let unreadable: UnreadableError | null = null;
  let onUnreadable = () => {};
  const dataConverter = createDataConverter(environment, (error) => {
    // Another worker may have the key, so this worker stops instead of receiving the same task again and again.
    if (unreadable !== null || !(error instanceof CodecKeyMissingError)) return;
    unreadable = error;
    onUnreadable();
  });
  // This client has a converter of its own, because an unreadable payload in a query result must not stop the worker.
  const ownConverter = createDataConverter(environment);
  const temporal = new TemporalClient({ connection, namespace, dataConverter: ownConverter });
  await assertRunsReadable(temporal, taskQueue);
  const deps = await buildDeps(options, temporal);
  const { wakeUps } = deps.pollerContext;
  const common = { ...createCommonOptions(options, deps, host), dataConverter };
  const tuning = options.tuning ?? resolveTuning({}, readMachine());
  const slots = workerSlotsOf(tuning);
  const source = workflowSourceOf(options.bundle, version);
  const worker = await Worker.create({
    ...common,
    ...slots.usual,
    ...toVersionedOptions(version),
    taskQueue,
    shutdownForceTime: common.shutdownGraceTime + forceShutdownAfterMs,
    ...source,
    interceptors: { ...source.interceptors, ...common.interceptors },
    maxCachedWorkflows: options.maxCachedWorkflows ?? tuning.cachedWorkflows,
    // How long a run waits for a dead worker (after kill -9) before another worker takes over.
    stickyQueueScheduleToStartTimeout: '2s',
  });
  let isStopping = false;
  const sideQueueWorkers = createSideQueues(common, { taskQueue, host, version, slots }, () => {
    if (!isStopping) wakeUps.open();
  });
  const wakeUpListener = startListening(options, wakeUps);
  const sharing = { ...options, identity: createWorkerIdentity(host) };
  const coordination = coordinateWorkers(temporal, sharing, deps.pollLeader, (isPolling) => {
    // Releases the waits that are held open for wake-ups, so that they continue on the next poll leader. Once all have
    // left, `createSideQueues` allows holding again, because this worker still polls for the queue of its host.
    if (!isPolling) wakeUps.close();
    sideQueueWorkers.polls.setPolling(isPolling);
  });
  const stopWatching = watchOrphans(temporal, taskQueue);
  const stopPolling = pollQueueStatus(temporal, taskQueue);
  const stopAll = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    for (const queueWorker of sideQueueWorkers.all) queueWorker.end();
  };
  const workers = [worker.run(), ...sideQueueWorkers.all.map((queueWorker) => queueWorker.run())];
  const shutdown = () => {
    isStopping = true;
    // Releases the waits that are held open, because they would delay the shutdown for the whole grace period.
    wakeUps.close();
    coordination.resign();
    stopAll();
  };
  onUnreadable = shutdown;
  const untilEnded = async () => {
    try {
      await waitForWorkers(workers, stopAll);
    } finally {
      stopWatching();
      stopPolling();
      await wakeUpListener?.stop();
      await coordination.stop();
    }
    if (unreadable !== null) throw unreadable;
  };
  return { done: untilEnded(), isRunning: () => worker.getState() === 'RUNNING', shutdown };
}

async function buildDeps(options: WorkerOptions, temporal: TemporalClient): Promise<Deps> {
  const { client, namespace, taskQueue, apiKey } = options;
  const { workspace, environment, fields, temporalUi = null, decisionLinks = null } = options;
  return createDeps({
    client,
    workflows: new TemporalWorkflowQueries(temporal, await readNamespaceId(temporal, namespace)),
    listHosts: async (host) => {
      const queue = host === undefined ? taskQueue : hostQueue(taskQueue, host);
      return (await findWorkers(temporal, queue, client.now(), 'activities')).hosts;
    },
    findGeneralPause: async (pipeline) => {
      const pause = await findGeneralPause(temporal, taskQueue, pipeline);
      return pause && causeOfPause(pause);
    },
    recentLocations: async (sinceMs) => {
      const scope = { taskQueue, workspace: workspace?.id };
      return (await listRecordsLocations(temporal, scope, sinceMs)).map(({ records }) => records);
    },
    decisionLinks,
    runPageUrlOf: (run) => temporalUi && workflowUrl(temporalUi, namespace, run),
    secrets: [apiKey, ...(decisionLinks ? [decisionLinks.key] : [])],
    ...omitUndefined({ workspace, environment, fields }),
  });
}

function createCommonOptions(
  { connection, namespace, shutdownGraceMs = 25_000, tracing = null }: WorkerOptions,
  deps: Deps,
  host: string,
) {
  return {
    connection,
    namespace,
    activities: createActivities(deps),
    interceptors: tracing === null ? {} : { activity: [traceAttempts(tracing)] },
    identity: createWorkerIdentity(host),
    // Maximum time until an activity learns that it was cancelled.
    maxHeartbeatThrottleInterval: '5s',
    shutdownGraceTime: shutdownGraceMs,
  } satisfies Partial<TemporalOptions>;
}

/** Waits for all workers. If one fails, the others are stopped and its error is thrown. */
export async function waitForWorkers(
  workers: readonly Promise<void>[],
  stopAll: () => void,
): Promise<void> {
  try {
    await Promise.all(workers);
  } finally {
    stopAll();
    await Promise.allSettled(workers);
  }
}

/** Passes the wake-ups of a receiver on. Returns null without a receiver. */
export function startListening(
  {
    wakeUpsUrl = null,
    apiKey,
    onWakeUpState,
  }: Pick<WorkerOptions, 'wakeUpsUrl' | 'apiKey' | 'onWakeUpState'>,
  wakeUps: WakeUps,
): WakeUpListener | null {
  if (wakeUpsUrl === null) return null;
  let wasListening: boolean | null = null;
  return listenForWakeUps({
    url: wakeUpsUrl,
    apiKey,
    onWakeUps: (ids) => wakeUps.receive(ids),
    onState: (state) => {
      wakeUps.isListening = state.listening;
      if (wasListening !== state.listening) onWakeUpState?.(state);
      wasListening = state.listening;
    },
  });
}

/** Returns the bundle, given or built, or the source files if there is none. @throws Error for a version without one */
export function workflowSourceOf(
  bundle: string | undefined,
  version?: WorkerVersion,
): Pick<TemporalOptions, 'workflowBundle' | 'workflowsPath' | 'interceptors'> {
  const code = bundle === undefined ? readBuiltBundle() : readFileSync(bundle, 'utf8');
  if (code !== null) {
    return {
      ...activationTimeout,
      workflowBundle: { code: version ? toVersionedCode(code) : code },
    };
  }
  if (version)
    throw new Error('a versioned worker needs compiled workflow code. Compile it: npm run build');
  const { workflowsPath, workflowInterceptorModules } = findWorkflowCode();
  const interceptors = { workflowModules: workflowInterceptorModules };
  return { ...activationTimeout, workflowsPath, interceptors };
}

/**
 * Time limit for one activation of workflow code. The SDK measures wall-clock time, in which other processes may use
 * the CPU. With the default of 5 s, a worker on a busy machine would stop. The option is not in the SDK's types.
 */
const activationTimeout = { isolateExecutionTimeout: '60s' } as const;
