// Starts a run of a plan and, if the caller wants this, follows it. This is the last part of `run` and `rerun`.
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { runFailures } from '../../failures/runs.ts';
import { quoteForShell } from '../../plan/helpers/quote-for-shell.ts';
import { hostQueue } from '../../plan/run/queues.ts';
import type { Plan } from '../../plan/types.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { findWorkers, type WorkerPresence } from '../../temporal/worker-presence.ts';
import type { App } from '../app.ts';
import { openTracing } from '../open-tracing.ts';
import { RenderlineError } from '../renderline-error.ts';
import { type RunTarget, withWorkspace } from '../run-target.ts';
import { runPageUrl } from '../temporal-client.ts';
import { type FollowOptions, waitForRun } from './follow-run.ts';
import type { RunDetails } from './run-details.ts';
import { type StartRunOptions, startRun } from './start-run.ts';

/** What the front end does while a run starts. */
export interface LaunchOptions {
  follow?: FollowOptions | undefined;
  /** Called just before the run is started. A caller that ends afterwards may leave the run behind. */
  onStarting?: StartRunOptions['onStarting'];
  onStarted?: ((run: string) => void) | undefined;
}

interface Launch extends LaunchOptions {
  plan: Plan;
  target: RunTarget;
  options: StartRunOptions;
}

/** A started run, as results of commands show it. */
export interface LaunchedRun {
  run: string;
  taskQueue: string;
  workers: number;
  temporalUi: string | null;
}

/**
 * @returns the run and its report (null unless the run was followed to its end)
 * @throws RenderlineError INTERRUPTED, with no run started, if the caller no longer waits for the result
 */
export async function launchRun(
  app: App,
  temporal: TemporalConnection,
  { plan, target, options, follow, onStarting, onStarted }: Launch,
): Promise<{ launched: LaunchedRun; report: RunDetails | null }> {
  const { taskQueue } = target;
  // Nothing after the start may fail before the caller knows the run.
  const presence = await findWorkers(temporal.client, taskQueue, app.now());
  await assertHostAvailable(app, temporal, { plan, target }, presence);
  app.beginChange();
  const run = await startTraced(app, (traced) =>
    startRun(temporal, withWorkspace(plan, target), taskQueue, app.now(), {
      ...options,
      traced,
      onStarting,
    }),
  );
  onStarted?.(run);
  const temporalUi = await runPageUrl(app, temporal.namespace, run);
  const { workers } = presence;
  if (workers === 0) {
    app.note(
      `No worker on task queue "${taskQueue}" yet; the run waits until you start one: renderline worker`,
    );
  }
  const launched = { run, taskQueue, workers, temporalUi };
  if (!follow) return { launched, report: null };
  app.note(escapeToOneLine(temporalUi === null ? `Run ${run}` : `Run ${run}: ${temporalUi}`));
  return { launched, report: await waitForRun(app, temporal.client, run, follow) };
}

/** Adds a span for the start to the run's trace, if traces are configured. */
async function startTraced(app: App, start: (traced: boolean) => Promise<string>): Promise<string> {
  const tracing = await openTracing(app.env, (message) => app.note(message));
  if (tracing === null) return start(false);
  const startedAtMs = app.now();
  try {
    const run = await start(true);
    tracing.command(run, 'command', startedAtMs);
    return run;
  } finally {
    await tracing.stop();
  }
}

/** @throws RenderlineError if the plan requires a host without a worker while other hosts have workers */
async function assertHostAvailable(
  app: App,
  { client }: TemporalConnection,
  { plan: { host }, target }: Pick<Launch, 'plan' | 'target'>,
  queuePresence: WorkerPresence,
): Promise<void> {
  if (host === undefined) return;
  const queue = hostQueue(target.taskQueue, host);
  const hostPresence = await findWorkers(client, queue, app.now(), 'activities');
  // A run may be started without any worker, because it waits for one.
  if (hostPresence.workers > 0 || queuePresence.workers === 0) return;
  throw new RenderlineError(
    runFailures.HOST_AWAY,
    `No worker runs on host "${host}"; workers run on ${queuePresence.hosts.join(', ')}.`,
    { fix: `Start a worker on that host: renderline worker --host ${quoteForShell(host)}` },
  );
}
