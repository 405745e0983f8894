// Shared parts of processes with a worker: the log and metrics of Temporal's runtime, key check, graceful shutdown.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricsExporterConfig } from '@temporalio/worker';
import type { Client } from '../../api/client.ts';
import { classify, computeBackoffMs } from '../../api/errors/retry.ts';
import { readWorkspace, type Workspace } from '../../api/workspace.ts';
import type { Logger } from '../../settings/logger.ts';
import { emitFromLogLine } from '../../telemetry/events.ts';
import { type AssetNaming, logAssets } from '../../telemetry/log-assets.ts';
import { logWorkerEvents } from '../../telemetry/log-worker-events.ts';
import type { TaskFailures } from '../../temporal/runs/task-failures.ts';
import type { RunningWorker } from './worker.ts';

/** The SDK logs each start and stop of its parts at level INFO, which is too detailed here. */
const ownLevels = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'debug',
  WARN: 'warn',
  ERROR: 'error',
} as const;
let isInstalled = false;

/** Options of the Temporal runtime. Only the first call of `installWorkerRuntime` in a process uses them. */
export interface TemporalRuntimeOptions {
  /** Collects workflow tasks that fail in this process. */
  failures?: TaskFailures;
  metrics?: MetricsExporterConfig;
  /** How assets are named in the log. If set, asset outcomes are logged at `info`, otherwise at `debug`, by key. */
  assets?: AssetNaming;
}

/** Installs Temporal's runtime with our logger and workflow events. @throws Error if metrics cannot be served */
export async function installWorkerRuntime(
  logger: Logger,
  { failures, metrics, assets }: TemporalRuntimeOptions = {},
): Promise<void> {
  const { DefaultLogger, makeTelemetryFilterString } = await import('@temporalio/worker');
  const { installRuntime } = await import('./install-runtime.ts');
  // A second worker shares the runtime, because it can be installed only once per process.
  if (isInstalled) return;
  isInstalled = true;
  if (logger.isLevelEnabled('info')) logWorkerEvents(logger);
  const level = assets === undefined ? 'debug' : 'info';
  if (logger.isLevelEnabled(level)) logAssets(logger, { level, naming: assets ?? 'key' });
  installRuntime({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metrics === undefined ? {} : { metrics }),
    },
    logger: new DefaultLogger('DEBUG', ({ level, message, meta }) => {
      if (meta !== undefined && emitFromLogLine(meta)) return;
      if (message.startsWith(taskFailurePrefix)) failures?.add(formatSdkFailure(meta));
      const isExpected = expectedWarnings.some((beginning) => message.startsWith(beginning));
      const ownLevel = isExpected ? 'debug' : ownLevels[level];
      logger[ownLevel](toLogFields(meta), message);
    }),
  });
}

/** Prefixes of SDK warnings about normal situations. */
const expectedWarnings = [
  // This warning is normal, because some workers run only activities.
  'No workflows registered',
  // This warning is normal, because a wait that is cancelled at the end of a run may complete at the same moment.
  'Activity not found on completion',
];

const taskFailurePrefix = 'Failing workflow task';

/** Returns the message of a failure that the SDK logs, or else the start of the failure's text. */
export function formatSdkFailure(
  meta: Readonly<Record<string | symbol, unknown>> | undefined,
): string {
  const failure = meta?.['failure'];
  const text = typeof failure === 'string' ? failure : '';
  return (/message: "((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text).slice(0, 400);
}

const keyAttempts = 5;

/** Verifies the key, retrying while the platform starts, and returns its workspace. Errors are thrown unchanged. */
export async function verifyKey(
  client: Client,
  stop: AbortSignal,
  wait: (ms: number, signal: AbortSignal) => Promise<unknown> = sleepUntilAborted,
): Promise<Workspace> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readWorkspace(client, { maxWaitMs: 10_000 });
    } catch (error) {
      const { kind } = classify(error);
      if (kind !== 'backoff' || attempt === keyAttempts || stop.aborted) throw error;
      await wait(computeBackoffMs(attempt), stop);
    }
  }
}

/** Sleeps, but resolves early if the signal aborts. */
const sleepUntilAborted = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** Runs the worker until the signal aborts, then shuts it down gracefully. @throws the error that stopped it */
export async function runWorkerUntil(worker: RunningWorker, stop: AbortSignal): Promise<void> {
  const shutdown = () => worker.shutdown();
  if (stop.aborted) shutdown();
  stop.addEventListener('abort', shutdown, { once: true });
  try {
    await worker.done;
  } finally {
    stop.removeEventListener('abort', shutdown);
  }
}

type Fields = Readonly<Record<string | symbol, unknown>>;

/**
 * Adds our fields (component, run and shard) to those of an SDK log line. Keeps the SDK's own ids, because people
 * search for them in the Temporal UI.
 */
export function toLogFields(meta: Fields | undefined): Record<string, unknown> {
  const { sdkComponent, ...rest } = { ...meta };
  return {
    ...(typeof sdkComponent === 'string' ? { component: sdkComponent } : {}),
    ...runAndShardOf(rest['workflowId'] ?? rest['workflow_id']),
    ...rest,
  };
}

/** Ids of workflows that belong to a run start with its id. Workflows that serve several runs belong to no run. */
function runAndShardOf(workflowId: unknown): { run?: string; shard?: number } {
  if (typeof workflowId !== 'string' || /^(allowance|poll-leader|event-trigger)\//.test(workflowId))
    return {};
  const [, run = workflowId, shard] =
    /^(.+)\/(?:shard-(\d+)|(?:notice|approval|decision|(?:expected-)?late)-\d+(?:-\d+)?)$/.exec(
      workflowId,
    ) ?? [];
  return shard === undefined ? { run } : { run, shard: Number(shard) };
}
