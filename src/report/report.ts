// The report of a run, as its page, its CSV and its JSON tell it.
import type { Begin } from '../plan/begins.ts';
import type { RunWarning } from '../plan/contract.ts';
import type { ExportCounts } from '../plan/export-tally.ts';
import type { Paid } from '../plan/paid.ts';
import type { Rerun } from '../plan/rerun.ts';
import type { RunCause } from '../plan/run-cause.ts';
import type { Act, RunTimes } from '../plan/run-story.ts';
import type { Totals } from '../plan/totals.ts';
import type { Stage } from '../plan/types.ts';
import type { WithdrawnCounts } from '../plan/withdrawal.ts';

export interface Report {
  schema: 'renderline/report/v1';
  run: string;
  pipeline: string;
  /** The part of another run that it does again; null for other runs. */
  again: Rerun | null;
  outcome: string;
  /** Why the whole run stopped or stands still; null when there is no such cause. */
  cause: RunCause | null;
  /** ISO 8601; the end is null for a run that goes on. */
  startedAt: string;
  endedAt: string | null;
  seconds: number;
  /** Folder of the files: absolute, or an address of the connector; null without an export. */
  destination: string | null;
  /** Page of the run in the Temporal UI; null where its address is not known. */
  temporalUi: string | null;
  /** `unchanged` is a part of `skipped`. */
  assets: Totals & { unchanged: number; cancelled: number };
  /** Products whose source is gone: what was withdrawn; null: nothing. */
  withdrawn: WithdrawnCounts | null;
  /** In the order of time; empty where Temporal has forgotten the run. */
  people: Act[];
  /** Largest first. */
  failures: ReportedCause[];
  /** null where Temporal has forgotten the run. */
  times: RunTimes | null;
  /** Work that the platform accepted from this run and bills; null where the records could not be read. */
  paid: Paid | null;
  requests: { total: number; planned: number | null; byOperation: ReportedRequests[] };
  /** What came of each export, where there are several; else empty. */
  exports: ExportCounts[];
  /** Assets that the pipeline made something else of, by the first stage that was done again. */
  begins: Begin[];
  /** Every delivered file, and every asset that failed, by key. */
  outputs: ReportedOutput[];
  warnings: RunWarning[];
  /** What could not be read, for people; null where all was. */
  remark: string | null;
}

export interface ReportedCause {
  code: string;
  /** Empty for what never reached a node. */
  node: string;
  count: number;
  title: string | null;
  message: string;
  fix: string | null;
  keys: string[];
  /** Command that does these again; null until the run has ended. */
  redo: string | null;
}

export interface ReportedRequests {
  operation: string;
  sent: number;
  /** As the plan reckons for the assets that the run found; null where that is not known. */
  planned: number | null;
}

/** A delivered file; or an asset without one, then `path` is null. */
export interface ReportedOutput {
  key: string;
  /** Key of the model, which its colorways and views share. */
  model: string;
  colorway: string | null;
  view: string | null;
  /** `waiting`: it differs from the one before, and is not delivered until somebody approves. */
  outcome: 'complete' | 'failed' | 'skipped' | 'cancelled' | 'waiting';
  /** Below the destination; null for what is not there, also for a picture that waits. */
  path: string | null;
  /** Path that a picture which waits would take; else null. */
  waitsFor: string | null;
  bytes: number;
  /** Hex; empty without a file. */
  sha256: string;
  /** Pixels; 0 for what is no picture. */
  width: number;
  height: number;
  /** Part of the picture that is not as in the one that it took the place of, 0 to 1; null where there was none, or it could not be compared. */
  change: number | null;
  /** The first stage that was done again; null for an asset that was new, or of which the file had changed. */
  begin: Stage | null;
  failure: { code: string; node: string; message: string } | null;
}
