// Starts a run and, with `--wait`, follows it: the last part of `run` and `rerun`.

import { resumeHint } from '../../cli/runs/resume-hint.ts';
import { summarizeRun } from '../../cli/runs/run-summary.ts';
import type { Session } from '../../cli/session.ts';
import { escapeForTerminal } from '../../cli/terminal-text.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Plan } from '../../plan/types.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { type RunTarget, withWorkspace } from '../run-target.ts';
import { runPageUrl } from '../temporal-client.ts';
import { openTracing } from '../traces.ts';
import { exitCodeOfRun } from './run-report.ts';
import { noteMissingWorkers, refuseMissingHost } from './start-checks.ts';
import { type StartOptions, startRun } from './start-run.ts';
import { waitForRun } from './wait-for-run.ts';

interface LaunchOptions {
  plan: Plan;
  target: RunTarget;
  options: StartOptions;
  /** Follow the run, and return its result and exit code. */
  wait: boolean;
  /** Additional fields of the result of a command that does not wait. */
  result: { schema: string } & Record<string, unknown>;
}

/** Returns the exit code. */
export async function launchRun(
  app: Session,
  temporal: TemporalConnection,
  { plan, target, options, wait, result }: LaunchOptions,
): Promise<number> {
  const { output, io } = app;
  const { taskQueue } = target;
  await refuseMissingHost(temporal, plan, taskQueue);
  // From here on Ctrl-C leaves the run running and prints how to follow it again, even while the run is being started.
  const leave = io.interrupts.handleFirst();
  const run = await startTraced(app, (traced) =>
    startRun(temporal, withWorkspace(plan, target), taskQueue, io.now(), { ...options, traced }),
  );
  app.resumeHint = resumeHint(run);
  const temporalUi = await runPageUrl(app, temporal.namespace, run);
  const workers = await noteMissingWorkers(app, temporal, taskQueue);
  if (!wait) {
    const { schema, ...more } = result;
    const { pipeline } = plan;
    output.result({ schema, run, pipeline, ...more, taskQueue, workers, temporalUi }, () =>
      formatStartedRun(escapeForTerminal(run), temporalUi),
    );
    return exitCode.done;
  }
  output.note(escapeForTerminal(temporalUi === null ? `Run ${run}` : `Run ${run}: ${temporalUi}`));
  const report = await waitForRun(app, temporal.client, run, leave);
  output.result(report.shape, () => summarizeRun(report.shape, output.paint));
  if (report.remark !== null) output.note(escapeForTerminal(report.remark));
  return exitCodeOfRun(report);
}

/** Adds a span of the command to the run's trace, if traces are configured. */
async function startTraced(
  { io, output }: Session,
  start: (traced: boolean) => Promise<string>,
): Promise<string> {
  const tracing = await openTracing(io.env, (message) => output.note(message));
  if (tracing === null) return start(false);
  const startedMs = Date.now();
  try {
    const run = await start(true);
    tracing.command(run, 'command', startedMs);
    return run;
  } finally {
    await tracing.stop();
  }
}

function formatStartedRun(run: string, temporalUi: string | null): string {
  return [
    run,
    `  follow it:  renderline show ${run} --wait`,
    `  cancel it:  renderline cancel ${run}`,
    ...(temporalUi === null ? [] : [`  its page:   ${temporalUi}`]),
  ].join('\n');
}
