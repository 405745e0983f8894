// Runs a worker with this process's settings: checks the key once, works until it is stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricsExporterConfig } from '@temporalio/worker';
import type { Client } from '../api/client.ts';
import { backoffMs, classify } from '../api/retry.ts';
import { type Workspace, workspaceOf } from '../api/workspace.ts';
import type { Logger } from '../settings/logger.ts';
import { type AssetNaming, logAssets } from '../telemetry/log-assets.ts';
import { logWork } from '../telemetry/log-work.ts';
import { tellOfLine } from '../telemetry/told.ts';
import type { TaskFailures } from '../temporal/task-failures.ts';
import type { RunningWorker } from '../temporal/worker.ts';
import { sdkFields } from './sdk-line.ts';

let installed = false;

/** What of Temporal's runtime a process may set, once. */
export interface RuntimeSetting {
  /** Told of workflow tasks that this process fails on. */
  failures?: TaskFailures;
  /** Where metrics go; absent: nowhere. */
  metrics?: MetricsExporterConfig;
  /** How lines of single assets name them at `info`; absent: they are written at `debug`. */
  assets?: AssetNaming;
}

/**
 * Sends log lines of Temporal's runtime, one per process, to ours, and the news of workflows to whoever listens.
 * @throws Error where metrics cannot be served at their address
 */
export async function installTemporalLogger(
  logger: Logger,
  { failures, metrics, assets }: RuntimeSetting = {},
): Promise<void> {
  const { DefaultLogger, makeTelemetryFilterString } = await import('@temporalio/worker');
  const { installRuntime } = await import('../temporal/install-runtime.ts');
  // Temporal's runtime can be installed once; a second worker shares it.
  if (installed) return;
  installed = true;
  // The SDK logs every start and stop of its parts as INFO, which is detail here.
  const levels = {
    TRACE: 'trace',
    DEBUG: 'debug',
    INFO: 'debug',
    WARN: 'warn',
    ERROR: 'error',
  } as const;
  if (logger.isLevelEnabled('info')) logWork(logger);
  const level = assets === undefined ? 'debug' : 'info';
  if (logger.isLevelEnabled(level)) logAssets(logger, { level, naming: assets ?? 'key' });
  installRuntime({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metrics === undefined ? {} : { metrics }),
    },
    logger: new DefaultLogger('DEBUG', ({ level, message, meta }) => {
      if (meta !== undefined && tellOfLine(meta)) return;
      if (message.startsWith(taskFailed)) failures?.note(failureText(meta));
      const isExpected = expected.some((beginning) => message.startsWith(beginning));
      const ours = isExpected ? 'debug' : levels[level];
      logger[ours](sdkFields(meta), message);
    }),
  });
}

/** Beginnings of the SDK's warnings about what is normal here. */
const expected = [
  // Some workers are for activities alone.
  'No workflows registered',
  // A wait that is cancelled at the end of a run may end by itself at the same moment.
  'Activity not found on completion',
];

/** Beginning of the line in which the SDK's core reports a failed workflow task. */
const taskFailed = 'Failing workflow task';

function failureText(meta: Readonly<Record<string | symbol, unknown>> | undefined): string {
  const failure = meta?.['failure'];
  const text = typeof failure === 'string' ? failure : '';
  return (/message: "((?:[^"\\\\]|\\\\.)*)"/.exec(text)?.[1] ?? text).slice(0, 400);
}

const keyAttempts = 5;

/**
 * Verifies the key and gives its workspace; callers explain the errors. Retries for a few seconds, for a worker that is
 * started together with its platform.
 */
export async function verifyKey(
  client: Client,
  stop: AbortSignal,
  wait: (ms: number, signal: AbortSignal) => Promise<unknown> = pause,
): Promise<Workspace> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await workspaceOf(client, { maxWaitMs: 10_000 });
    } catch (error) {
      const { kind } = classify(error);
      if (kind !== 'backoff' || attempt === keyAttempts || stop.aborted) throw error;
      await wait(backoffMs(attempt), stop);
    }
  }
}

/** Ends early, and without an error, when the signal aborts. */
const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/**
 * Works until the signal aborts, then shuts down gracefully.
 * @throws the error that broke the worker.
 */
export async function workUntil(worker: RunningWorker, stop: AbortSignal): Promise<void> {
  const shutdown = () => worker.shutdown();
  if (stop.aborted) shutdown();
  stop.addEventListener('abort', shutdown, { once: true });
  try {
    await worker.done;
  } finally {
    stop.removeEventListener('abort', shutdown);
  }
}
