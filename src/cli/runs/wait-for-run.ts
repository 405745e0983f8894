// Waits until a run ends, for `run --wait`, `show --wait` and `demo`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import { CliError } from '../cli-error.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { followRun } from './follow-run.ts';
import { exitCodeOfRun, pausedError, type RunReport, reportRun } from './run-report.ts';
import { retryDuringOutage, ServerOutage } from './server-outage.ts';

const retryIntervalMs = 2_000;

/**
 * Follows the run and returns its report.
 * @throws CliError if the run pauses with a cause, stops with a cause before processing any asset, or has no worker.
 */
export async function waitForRun(
  session: Session,
  client: Client,
  run: string,
  leave: AbortSignal,
): Promise<RunReport> {
  const followed = await followRun({ session, client, run, leave });
  if (followed.end === 'paused') throw pausedError(run, followed.cause);
  const report = await retryDuringOutage(
    new ServerOutage(run, () => session.io.now()),
    () => reportRun(client, followed.snapshot, followed.last),
    {
      note: (remark) => session.output.note(escapeForTerminal(remark)),
      pause: () => sleep(retryIntervalMs, undefined, { signal: leave }),
    },
  );
  // Without assets there is nothing to report except the cause.
  if (report.cause !== null && report.shape.assets.total === 0) {
    const end = { ...report.cause, exit: exitCodeOfRun(report) };
    throw new CliError(end, report.cause.message, { details: { run } });
  }
  if (report.shape.outcome === 'failed' && report.remark !== null && report.settled.length === 0) {
    throw new CliError(commandFailures.RUN_BROKE, `The run ${run} failed: ${report.remark}`, {
      fix: `See its page in the Temporal UI, or: renderline show ${run}`,
      details: { run },
    });
  }
  return report;
}
