// What all runs of a while did, as its page and its JSON tell it.
import type { Paid } from '../plan/paid.ts';
import type { ReportedCause } from './report.ts';

export interface Night {
  schema: 'renderline/runs-report/v1';
  /** ISO 8601. */
  since: string;
  until: string;
  /** Newest first. */
  runs: NightRun[];
  /** Runs that cannot be read here, for want of a key. They count nowhere. */
  unreadable: { run: string; unreadable: { code: string; message: string; fix: string } }[];
  /** Runs that were not looked at, since there are so many. */
  left: number;
  outcomes: Record<string, number>;
  /** Assets and files of all runs. */
  totals: { complete: number; failed: number; mended: number; files: number; requests: number };
  /** Paid work of all runs whose records could be read. */
  paid: Paid;
  /** Causes of all runs together, largest first. */
  causes: NightCause[];
}

export interface NightRun {
  run: string;
  pipeline: string;
  outcome: string;
  startedAt: string;
  /** null for a run that goes on. */
  endedAt: string | null;
  seconds: number;
  complete: number;
  failed: number;
  /** Part of the failed assets: those that a later run has completed. */
  mended: number;
  files: number;
  requests: number;
  /** Work that the platform accepted from it and bills; null where the records could not be read. */
  paid: Paid | null;
  /** Relative link to its report; null where there is none beside the page. */
  report: string | null;
  /** Its page in the Temporal UI; null where that is not known. */
  temporalUi: string | null;
  /** What could not be read; null where all was. */
  remark: string | null;
}

export interface NightCause extends Omit<ReportedCause, 'keys' | 'redo'> {
  pipeline: string;
  /** Part of `count`: assets that a later run has completed. */
  mended: number;
  /** `redo` is null while the run goes on, and where all is mended. */
  runs: { run: string; count: number; mended: number; redo: string | null }[];
}

/** `, mended since`, or how many of them are; empty where none is. */
export function mendedWords({ count, mended }: Pick<NightCause, 'count' | 'mended'>): string {
  if (mended === 0) return '';
  return mended === count ? ', mended since' : `, ${mended} of them mended since`;
}
