// JSON form of a run, printed by `run --wait --json`, `show --json` and `demo --json`.
import type { FailureExplanation } from '../../features/failures.ts';
import type {
  Discovery,
  PlatformResource,
  RunResult,
  RunWarning,
} from '../../plan/contract/contract.ts';
import { unshardedTotalsOf } from '../../plan/contract/sharding.ts';
import type { VerifiedCounts } from '../../plan/contract/verified-counts.ts';
import type { DeadlineProgress } from '../../plan/deadline.ts';
import type { List } from '../../plan/helpers/lazy-list.ts';
import type { ExportCounts } from '../../plan/run/export-tally.ts';
import type { PaidWork } from '../../plan/run/paid-work.ts';
import type { Rerun } from '../../plan/run/rerun.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import type { StartPointCount } from '../../plan/run/start-points.ts';
import { addTotals, countUnfinished, type Totals } from '../../plan/shard/totals.ts';
import type { FlightProgress } from '../../plan/shard/window.ts';
import type { CanaryProgress, DeliveredFile, Failure } from '../../plan/types.ts';
import type { WithdrawnCounts } from '../../plan/withdrawal.ts';
import type { RunWait } from './run-waits.ts';

export interface RunShape {
  schema: 'renderline/run/v1';
  /** Null if no run was started because there was nothing to do. */
  run: string | null;
  pipeline: string;
  /** The part of another run that a rerun repeats. Null if the run is not a rerun. */
  rerun: Rerun | null;
  /** `running` and `paused` occur only while the run is open. */
  outcome: RunResult['outcome'] | 'running' | 'paused' | 'terminated';
  /** Why the whole run stopped or is paused. Null if there is no such cause. */
  cause: RunCause | null;
  /** State of the canary. Null if the run has no canary, has ended, or no worker answers. */
  canary: CanaryProgress | null;
  /** State of the deadline. Absent if the run has no deadline, has ended, or no worker answers. */
  deadline?: DeadlineProgress;
  /** Assets in progress. Null if the run has ended or no worker answers. */
  inFlight: FlightProgress | null;
  /** Assets that are waiting, for example for the platform. Empty if the run has ended or no worker answers. */
  waits: RunWait[];
  /** Absolute folder or connector address that `files` are relative to. Null without an export. */
  destination: string | null;
  /** Destinations of further exports. Some of `files` are relative to them. Absent if there are none. */
  extraDestinations?: string[];
  /**
   * Why the run's own figures are unknown, such as that no worker answers. Null if they are known. If set, `assets`
   * comes from the records, and `requests`, `historyEvents`, `waits`, `inFlight` and `canary` are empty, 0 or null.
   */
  unknown: string | null;
  /** False if the run has not discovered its assets yet, or if this is unknown. All counts are then 0. */
  discovered: boolean;
  /** Counts of files that were compared by content. Null without `--verify`. */
  verified: VerifiedCounts | null;
  assets: AssetCounts;
  /** Numbers of assets that are partly processed again, by the first stage that is repeated. */
  startPoints: StartPointCount[];
  /** Counts of each export. Empty unless there are several exports. */
  exports: ExportCounts[];
  /** Delivered files. Their paths are relative to `destination`, or to one of `extraDestinations`. */
  files: DeliveredFile[];
  /** Withdrawn files of assets whose source is missing. Null if nothing was withdrawn. */
  withdrawn: WithdrawnCounts | null;
  /** Platform resources of earlier versions of changed files that were deleted (`supersede`). */
  deleted: DeletedResource[];
  failures: (Failure & FailureExplanation)[];
  warnings: RunWarning[];
  requests: { total: number; byOperation: Record<string, number> };
  /** Billable work that the platform accepted from this run. Null if the records cannot be read. */
  paid: PaidWork | null;
  /** Number of Temporal history events of the run and its shards. */
  historyEvents: number;
  seconds: number;
}

/** A run as this program holds it: its files are read when they are shown or written. */
export type RunView = Omit<RunShape, 'files'> & { files: List<DeliveredFile> };

/** For a completed, cancelled or terminated run, `complete`, `failed`, `skipped` and `cancelled` add up to `total`. */
export interface AssetCounts extends Totals {
  /** Number of skipped assets that were unchanged. They are included in `skipped`. */
  unchanged: number;
  /** Number of assets that a cancelled or terminated run did not finish. */
  cancelled: number;
}

export const zeroAssetCounts: AssetCounts = {
  total: 0,
  complete: 0,
  failed: 0,
  skipped: 0,
  unchanged: 0,
  cancelled: 0,
};

interface CountSources {
  /** Totals that the run itself reports. Undefined if no worker answers. */
  reported: Totals | undefined;
  /** Totals according to the records. */
  stored: Totals;
  discovery: Discovery | null;
}

/** Counts the assets of a run that has no result because it is running or was stopped. */
export function countAssets(
  status: string,
  { reported, stored, discovery }: CountSources,
): AssetCounts {
  const storedTotals = { ...stored };
  if (discovery) addTotals(storedTotals, unshardedTotalsOf(discovery));
  storedTotals.total = Math.max(storedTotals.total, discovery?.total ?? 0);
  // The records are more complete than the run's figures if no worker answers or part of the run was terminated.
  const totals =
    reported === undefined || reported.total < storedTotals.total ? storedTotals : reported;
  const wasStopped = status === 'cancelled' || status === 'terminated';
  // The number includes assets that the run never started.
  const cancelled = wasStopped ? countUnfinished(totals) : 0;
  return { ...pickCounts(totals), unchanged: discovery?.unchanged ?? 0, cancelled };
}

/** Returns only the counts and no other fields. */
export function pickCounts({ total, complete, failed, skipped }: Totals): Totals {
  return { total, complete, failed, skipped };
}

interface DeletedResource extends PlatformResource {
  key: string;
}

export function sumRequests(byOperation: Record<string, number>): RunShape['requests'] {
  const total = Object.values(byOperation).reduce((sum, count) => sum + count, 0);
  return { total, byOperation };
}

/** Formats all destinations of a run. Returns null without an export. */
export function formatDestinations(
  shape: Pick<RunShape, 'destination' | 'extraDestinations'>,
): string | null {
  const { destination, extraDestinations = [] } = shape;
  return destination && [destination, ...extraDestinations].join(' and ');
}
