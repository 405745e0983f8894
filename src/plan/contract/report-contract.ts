// Input of the activity that writes the report of a run, and the path of the report.
import { locationOf } from '../run/location.ts';
import type { Rerun } from '../run/rerun.ts';
import type { RunCause } from '../run/run-cause.ts';
import type { RunContext } from '../run/run-context.ts';
import type { Outcome, Totals } from '../shard/totals.ts';
import type { ConnectorSpec, Failure, Plan } from '../types.ts';
import type { WithdrawnCounts } from '../withdrawal.ts';

export interface WriteReportInput {
  context: RunContext;
  /** Connector of the delivered files. `path` is relative to it. */
  destination: ConnectorSpec;
  path: string;
  finishedRun: FinishedRunReport;
}

export interface FinishedRunReport {
  outcome: Outcome;
  cause: RunCause | null;
  rerun: Rerun | null;
  assets: Totals;
  unchanged: number;
  withdrawn?: WithdrawnCounts;
  /** The first few failures. The results in the records store contain all of them. */
  failures: Failure[];
  warnings: { key: string; message: string }[];
  requests: Record<string, number>;
  startedAtMs: number;
  endedAtMs: number;
}

/** Returns the location of a run's report, for people. Returns null if the plan has no report. */
export function reportLocation(
  { report, destination }: Pick<Plan, 'report' | 'destination'>,
  run: string,
): string | null {
  if (report === undefined || destination === null) return null;
  return `${locationOf(destination)}/${reportPath(report, run)}`;
}

/** Returns the path of the report of a run below its destination. */
export function reportPath(folder: string, run: string): string {
  return `${folder.replace(/\/+$/, '')}/${run}.html`;
}
