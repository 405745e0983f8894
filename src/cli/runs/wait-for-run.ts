// Waits for a run and ends as it ended: what `run --wait`, `show --wait` and `demo` share.
import type { Client } from '@temporalio/client';
import { CliError, exitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { followRun } from './follow-run.ts';
import { endOfRun, pausedError, type RunReport, reportRun } from './run-report.ts';

/**
 * Follows the run and reports it.
 * @throws CliError when it pauses with a cause, ends for one before it has taken anything, or nobody works on it.
 */
export async function waitForRun(
  session: Session,
  client: Client,
  run: string,
  leave: AbortSignal,
): Promise<RunReport> {
  const followed = await followRun({ session, client, run, leave });
  if (followed.end === 'paused') throw pausedError(run, followed.cause);
  const report = await reportRun(client, followed.snapshot, followed.last);
  // Of a run that came further there is more to say.
  if (report.cause !== null && report.shape.assets.total === 0) {
    const { code, message, fix } = report.cause;
    throw new CliError(endOfRun(report), code, message, fix, { run });
  }
  if (report.shape.outcome === 'failed' && report.remark !== null && report.settled.length === 0) {
    throw new CliError(
      exitCode.runFailed,
      'RUN_BROKE',
      `The run ${run} broke: ${report.remark}`,
      `See its page in the Temporal UI, or: renderline show ${run}`,
      { run },
    );
  }
  return report;
}
