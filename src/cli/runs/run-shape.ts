// The machine form of a run: what `run --wait --json`, `show --json` and `demo --json` print.
import type { FailureWords } from '../../capabilities/failures.ts';
import type { Begin } from '../../plan/begins.ts';
import type { PlatformThing, RunResult, RunWarning, SettledAsset } from '../../plan/contract.ts';
import type { ExportCounts } from '../../plan/export-tally.ts';
import type { Paid } from '../../plan/paid.ts';
import type { Rerun } from '../../plan/rerun.ts';
import type { RunCause } from '../../plan/run-cause.ts';
import type { Totals } from '../../plan/totals.ts';
import type { CanaryProgress, DeliveredFile, Failure } from '../../plan/types.ts';
import type { VerifiedCounts } from '../../plan/verified-counts.ts';
import type { FlightProgress } from '../../plan/window.ts';
import type { WithdrawnCounts } from '../../plan/withdrawal.ts';
import type { RunWait } from './run-waits.ts';

export interface RunShape {
  schema: 'renderline/run/v1';
  /** null when there was nothing to do, so that no run was started. */
  run: string | null;
  pipeline: string;
  /** The part of another run that it does again; null for other runs. */
  again: Rerun | null;
  /** `running` and `paused` only for a run that has not ended. */
  outcome: RunResult['outcome'] | 'running' | 'paused' | 'terminated';
  /** Why the whole run stopped or stands still; null when there is no such cause. */
  cause: RunCause | null;
  /** For a run that is under way and asks for approval after its first assets. */
  canary: CanaryProgress | null;
  /** Assets that are worked on now, of a run that has not ended. */
  inFlight: FlightProgress | null;
  /** Assets that wait for somebody, such as the platform; empty where the run has ended, or no worker tells. */
  waits: RunWait[];
  /** Folder of `files`: absolute, or an address of the connector; null without an export. */
  destination: string | null;
  /** Places that other exports deliver to, where some of `files` are; absent where all deliver to one. */
  alsoTo?: string[];
  /**
   * Why what only the run itself can tell is not known: no worker answers, or the key of its answer is missing; null where it is
   * known. Then `assets` count what the records tell, and `requests`, `historyEvents`, `waits`, `inFlight` and `canary` nothing.
   */
  unknown: string | null;
  /** False where it has not found its assets, or ended before; then all counts are 0. */
  discovered: boolean;
  /** Files that were compared by content; null without `--verify`. */
  verified: VerifiedCounts | null;
  assets: AssetCounts;
  /** Assets that the pipeline makes something else of, by the first stage that is done again. */
  begins: Begin[];
  /** What came of each export, where there are several; else empty. */
  exports: ExportCounts[];
  /** Paths are relative to `destination`. */
  files: DeliveredFile[];
  /** Products whose source is gone: what the run has withdrawn; null where it withdrew nothing. */
  withdrawn: WithdrawnCounts | null;
  /** Things that changed files had become on the platform before and that are deleted now (`supersede`). */
  deleted: DeletedThing[];
  failures: (Failure & FailureWords)[];
  /** Remarks although nothing failed. */
  warnings: RunWarning[];
  /** API requests of this run, by operation id. */
  requests: { total: number; byOperation: Record<string, number> };
  /** Work that the platform accepted from this run and bills; null where the records cannot be read. */
  paid: Paid | null;
  /** Temporal history events of the run and its shards. */
  historyEvents: number;
  seconds: number;
}

/** For a run that has ended, `complete`, `failed`, `skipped` and `cancelled` add up to `total`. */
export interface AssetCounts extends Totals {
  /** Part of the skipped assets. */
  unchanged: number;
  /** Assets that a cancelled or terminated run did not end. */
  cancelled: number;
}

export const noAssets: AssetCounts = {
  total: 0,
  complete: 0,
  failed: 0,
  skipped: 0,
  unchanged: 0,
  cancelled: 0,
};

interface DeletedThing extends PlatformThing {
  key: string;
}

export function deletedOf(settled: readonly SettledAsset[]): DeletedThing[] {
  return settled.flatMap(({ key, deleted = [] }) => deleted.map((thing) => ({ key, ...thing })));
}

export function requestTotals(byOperation: Record<string, number>): RunShape['requests'] {
  const total = Object.values(byOperation).reduce((sum, count) => sum + count, 0);
  return { total, byOperation };
}
