// Starts the activity that writes the report of a run, if its file asks for one.
import type { Discovery, RunInput, RunWarning } from '../../src/plan/contract/contract.ts';
import { type FinishedRunReport, reportPath } from '../../src/plan/contract/report-contract.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { Totals } from '../../src/plan/shard/totals.ts';
import { engineActivities } from '../activity-options.ts';

interface Ending
  extends Pick<
    FinishedRunReport,
    'outcome' | 'cause' | 'failures' | 'requests' | 'startedAtMs' | 'withdrawn'
  > {
  totals: Totals;
  /** null if the run ended before it had found its assets. */
  found: Discovery | null;
}

/**
 * The run stays open until its report is written or has failed. Returns the reason of a failure as a warning, since
 * it does not fail the run.
 */
export async function writeRunReport(
  { plan, run, rerun }: RunInput,
  context: RunContext,
  { totals, found, ...ending }: Ending,
): Promise<RunWarning[]> {
  const { report, destination } = plan;
  if (report === undefined || destination === null) return [];
  const { writeReport } = engineActivities(context, {
    startToCloseTimeout: '1h',
    scheduleToCloseTimeout: '2h',
    retry: { maximumAttempts: 3 },
  });
  const ended: FinishedRunReport = {
    ...ending,
    rerun: rerun ?? null,
    assets: totals,
    unchanged: found?.unchanged ?? 0,
    warnings: found?.warnings ?? [],
    endedAtMs: Date.now(),
  };
  try {
    await writeReport({ context, destination, path: reportPath(report, run), finishedRun: ended });
    return [];
  } catch {
    const message = `the report could not be written; \`renderline report ${run}\` creates it`;
    return [{ key: report, message }];
  }
}
