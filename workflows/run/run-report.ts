// Starts the activity that writes the report of a run, if its file asks for one.
import type { Discovery, RunInput, RunWarning } from '../../src/plan/contract/contract.ts';
import {
  type FinishedRunReport,
  reportLocation,
  reportPath,
} from '../../src/plan/contract/report-contract.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { Totals } from '../../src/plan/shard/totals.ts';
import { proxyEngineActivity } from '../activity-options.ts';

interface EndedRun
  extends Pick<
    FinishedRunReport,
    'outcome' | 'cause' | 'failures' | 'requests' | 'startedAtMs' | 'withdrawn'
  > {
  totals: Totals;
  /** What the run has found. Null if it ended before it had found its assets. */
  discovery: Discovery | null;
}

interface WrittenReport {
  /** Location of the report. Null if the run has no report, or if the report could not be written. */
  location: string | null;
  /** Why the report could not be written, which does not fail the run. */
  warnings: RunWarning[];
}

/** Writes the report of a run. The run stays open until the report is written or has failed. */
export async function writeRunReport(
  { plan, run, rerun }: RunInput,
  context: RunContext,
  { totals, discovery, ...ending }: EndedRun,
): Promise<WrittenReport> {
  const { report, destination } = plan;
  if (report === undefined || destination === null) return { location: null, warnings: [] };
  const writeReport = proxyEngineActivity('writeReport', context, {
    startToCloseTimeout: '1h',
    scheduleToCloseTimeout: '2h',
    retry: { maximumAttempts: 3 },
  });
  const finishedRun: FinishedRunReport = {
    ...ending,
    rerun: rerun ?? null,
    assets: totals,
    unchanged: discovery?.unchanged ?? 0,
    warnings: discovery?.warnings ?? [],
    endedAtMs: Date.now(),
  };
  try {
    await writeReport({ context, destination, path: reportPath(report, run), finishedRun });
    return { location: reportLocation(plan, run), warnings: [] };
  } catch {
    const message = `the report could not be written; \`renderline report ${run}\` creates it`;
    return { location: null, warnings: [{ key: report, message }] };
  }
}
