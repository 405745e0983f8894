// What a run tells the activity that leaves its report. Types, and where the report lies.
import type { Rerun } from './rerun.ts';
import type { RunCause } from './run-cause.ts';
import type { RunContext } from './run-context.ts';
import type { Outcome, Totals } from './totals.ts';
import type { ConnectorSpec, Failure } from './types.ts';
import type { WithdrawnCounts } from './withdrawal.ts';

export interface WriteReportInput {
  context: RunContext;
  /** Where the files are, and below it the path of the report. */
  destination: ConnectorSpec;
  path: string;
  ended: EndedRun;
}

/** A run that has come to its end, but for its report. */
export interface EndedRun {
  outcome: Outcome;
  /** Why it stopped before its end; null where it did not. */
  cause: RunCause | null;
  again: Rerun | null;
  assets: Totals;
  unchanged: number;
  /** Absent: nothing. */
  withdrawn?: WithdrawnCounts;
  /** The first few; the records have those of all assets. */
  failures: Failure[];
  warnings: { key: string; message: string }[];
  requests: Record<string, number>;
  startedAtMs: number;
  endedAtMs: number;
}

/** Path of the report of a run below its destination. */
export function reportPath(folder: string, run: string): string {
  return `${folder.replace(/\/+$/, '')}/${run}.html`;
}
