// The report on all runs of a period: the data of its page and of its JSON.
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { PaidWork } from '../../plan/run/paid-work.ts';
import type { ReportedCause } from '../report.ts';

export interface DailyReport {
  schema: 'renderline/runs-report/v1';
  /** Time in ISO 8601 format. */
  since: string;
  until: string;
  /** Runs, newest first. */
  runs: DailyRun[];
  /** Runs whose memo cannot be decrypted here. They are not included in any count. */
  unreadable: { run: string; unreadable: { code: string; message: string; fix: string } }[];
  /** Number of older runs that were not read, because there are too many. */
  notRead: number;
  outcomes: Record<string, number>;
  /** Sums over all runs. `requests` omits runs whose requests are not known. */
  totals: Record<'complete' | 'failed' | 'repaired' | 'cancelled' | 'files' | 'requests', number>;
  /** Billed work of all runs whose records could be read. */
  paid: PaidWork;
  /** Failure causes of all runs together, most assets first. */
  causes: DailyCause[];
}

export interface DailyRun {
  run: string;
  pipeline: string;
  outcome: string;
  startedAt: string;
  /** End of the run, ISO 8601. Null for an open run. */
  endedAt: string | null;
  seconds: number;
  complete: number;
  failed: number;
  /** Number of assets among `failed` that another run delivered after this run had started. */
  repaired: number;
  /** Number of assets that a cancelled or terminated run did not finish. */
  cancelled: number;
  files: number;
  /** Number of API requests. Null if unknown. */
  requests: number | null;
  /** Billed work of the run. Null if its records could not be read. */
  paid: PaidWork | null;
  /** Relative link to the report of the run. Null if neither the page's folder nor a local destination has it. */
  report: string | null;
  /** Page of the run in the Temporal UI. Null if its URL is not known. */
  temporalUi: string | null;
  /** What could not be read, and who paused the run. Null if neither applies. */
  remark: string | null;
}

export interface DailyCause extends Omit<ReportedCause, 'keys' | 'rerunCommand'> {
  pipeline: string;
  /** Number of assets. An asset that failed in several runs counts once. */
  count: number;
  /** Part of `count`: the number of assets that any run has delivered since the failed run started. */
  repaired: number;
  /**
   * Runs with this cause. `rerunCommand` is null while the run is open, and if none of its assets is left:
   * all are repaired, or failed again in a newer run.
   */
  runs: { run: string; count: number; repaired: number; rerunCommand: string | null }[];
}

/** Formats `, not known of 2 runs`, after a sum that omits these runs. Returns '' if the sum is complete. */
export function formatUnknown(runs: number): string {
  return runs === 0 ? '' : `, unknown for ${formatCount(runs, 'run')}`;
}

/** Formats `, repaired since` or `, 2 of them repaired since`. Returns an empty string if none is repaired. */
export function formatRepaired(cause: Pick<DailyCause, 'count' | 'repaired'>): string {
  const { count, repaired } = cause;
  if (repaired === 0) return '';
  return repaired === count ? ', repaired since' : `, ${repaired} of them repaired since`;
}
