// Waits until a run ends, for `run --wait`, `show --wait` and `demo`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Session } from '../../cli/session.ts';
import { escapeForTerminal } from '../../cli/terminal-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import { RenderlineError } from '../renderline-error.ts';
import { followRun } from './follow-run.ts';
import { exitCodeOfRun, pausedError, type RunReport, reportRun } from './run-report.ts';
import { retryDuringOutage, ServerOutage } from './server-outage.ts';

const retryIntervalMs = 2_000;

/**
 * Follows the run and returns its report.
 * @throws RenderlineError if the run pauses with a cause, stops with a cause before processing any asset, or has no worker.
 */
export async function waitForRun(
  app: Session,
  client: Client,
  run: string,
  leave: AbortSignal,
): Promise<RunReport> {
  const followed = await followRun({ app, client, run, leave });
  if (followed.end === 'paused') throw pausedError(run, followed.cause);
  const report = await retryDuringOutage(
    new ServerOutage(run, () => app.now()),
    () => reportRun(client, followed.snapshot, followed.last),
    {
      note: (remark) => app.note(escapeForTerminal(remark)),
      pause: () => sleep(retryIntervalMs, undefined, { signal: leave }),
    },
  );
  // Without assets there is nothing to report except the cause.
  if (report.cause !== null && report.shape.assets.total === 0) {
    const end = { ...report.cause, exit: exitCodeOfRun(report) };
    throw new RenderlineError(end, report.cause.message, { details: { run } });
  }
  if (report.shape.outcome === 'failed' && report.remark !== null && report.settled.length === 0) {
    throw new RenderlineError(
      commandFailures.RUN_BROKE,
      `The run ${run} failed: ${report.remark}`,
      {
        fix: `See its page in the Temporal UI, or: renderline show ${run}`,
        details: { run },
      },
    );
  }
  return report;
}
