// A worker with this process's settings: checks the key once, works until told to stop.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../api/client.ts';
import { backoffMs, classify } from '../api/retry.ts';
import { type Workspace, workspaceOf } from '../api/workspace.ts';
import type { Logger } from '../settings/logger.ts';
import type { TaskFailures } from '../temporal/task-failures.ts';
import type { RunningWorker } from '../temporal/worker.ts';

let installed = false;

/**
 * Temporal's runtime is one per process; its log lines join ours.
 * @param failures are told of workflow tasks that this process fails on
 */
export async function installTemporalLogger(
  logger: Logger,
  failures?: TaskFailures,
): Promise<void> {
  const { Runtime, DefaultLogger, makeTelemetryFilterString } = await import('@temporalio/worker');
  // A second worker in this process has to live with the first one's.
  if (installed) return;
  installed = true;
  const write = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' };
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
    logger: new DefaultLogger('DEBUG', ({ level, message, meta }) => {
      if (message.startsWith(taskFailed)) failures?.note(failureText(meta));
      const method = write[level] as 'debug';
      // The SDK tells of every start and stop of its parts; that is detail here.
      const quiet = level === 'INFO' ? 'debug' : method;
      logger[quiet]({ ...meta }, message);
    }),
  });
}

/** How the SDK's core begins its line about a workflow task that it could not carry out. */
const taskFailed = 'Failing workflow task';

function failureText(meta: Readonly<Record<string | symbol, unknown>> | undefined): string {
  const failure = meta?.['failure'];
  const text = typeof failure === 'string' ? failure : '';
  return (/message: "((?:[^"\\\\]|\\\\.)*)"/.exec(text)?.[1] ?? text).slice(0, 400);
}

const keyAttempts = 5;

/**
 * Verifies the key; its errors are explained by the caller. Gives its workspace. A worker that is
 * started together with its platform outlives a few seconds of bad weather.
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

/** Ends early, and without an error, when told to stop. */
const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/**
 * Works until the signal aborts, then stops gracefully.
 * @throws what broke the worker.
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
