// The report of a run: the data of its page, its CSV and its JSON.

import type { DimensionName } from '../language/dimension-names.ts';
import type { RunWarning } from '../plan/contract/contract.ts';
import type { ZipStatus } from '../plan/delivery-manifests.ts';
import type { List } from '../plan/helpers/lazy-list.ts';
import type { ExportCounts } from '../plan/run/export-tally.ts';
import type { PaidWork } from '../plan/run/paid-work.ts';
import type { Rerun } from '../plan/run/rerun.ts';
import type { RunCause } from '../plan/run/run-cause.ts';
import type { RunAction, RunTimes } from '../plan/run/run-timeline.ts';
import type { StartPointCount } from '../plan/run/start-points.ts';
import type { Totals } from '../plan/shard/totals.ts';
import type { Stage } from '../plan/types.ts';
import type { WithdrawnCounts } from '../plan/withdrawal.ts';

export interface Report {
  schema: 'renderline/report/v1';
  run: string;
  pipeline: string;
  /** The part of another run that this run repeats. Null if it is not a rerun. */
  rerun: Rerun | null;
  outcome: string;
  /** Why the whole run stopped or is paused. Null if there is no such cause. */
  cause: RunCause | null;
  /** ISO 8601. `endedAt` is null for an open run. */
  startedAt: string;
  endedAt: string | null;
  seconds: number;
  /** Folder of the files: an absolute path, or a URL of the connector. Null without an export. */
  destination: string | null;
  /** Page of the run in the Temporal UI. Null if its URL is not known. */
  temporalUi: string | null;
  /** Number of assets by outcome. `unchanged` is a part of `skipped`. */
  assets: Totals & { unchanged: number; cancelled: number };
  /** Counts of what was withdrawn because its source is missing. Null if nothing was withdrawn. */
  withdrawn: WithdrawnCounts | null;
  /** Actions of people in chronological order. Empty if Temporal has deleted the run. */
  people: RunAction[];
  /** Decisions of people about pictures, grouped if person, node, outcome and reason are the same. */
  decisions: DecisionGroup[];
  /** Failure causes, most assets first. */
  failures: ReportedCause[];
  /** Times of the steps. Null if Temporal has deleted the run. */
  times: RunTimes | null;
  /** Billed work of the run. Null if the records could not be read. */
  paid: PaidWork | null;
  /** Requests of the run. `total` is null if unknown. */
  requests: { total: number | null; planned: number | null; byOperation: ReportedRequests[] };
  /** Counts of each export if there are several. Otherwise empty. */
  exports: ExportCounts[];
  /** Zips of the delivered files, with their status at the end of the run. */
  zips: ZipStatus[];
  /** Assets that were processed again because the pipeline changed, by the first stage that was repeated. */
  startPoints: StartPointCount[];
  /** Waiting pictures first, then every failed asset and every delivered file, sorted by key. */
  outputs: List<ReportedOutput>;
  warnings: RunWarning[];
  /** What could not be read, as text. Null if everything was read. */
  remark: string | null;
}

/** A decision about the pictures of an asset. */
export interface ReportedDecision {
  /** The approval node, or the export that held the picture back. */
  node: string;
  outcome: 'approved' | 'rejected';
  by: string;
  /** Time in ISO 8601 format. */
  at: string;
  reason: string | null;
}

/** Decisions of one person at one node, with the same outcome and reason. */
export interface DecisionGroup extends Omit<ReportedDecision, 'at'> {
  /** Times of the first and the last decision, ISO 8601. */
  from: string;
  until: string;
  assets: number;
}

export interface ReportedCause {
  code: string;
  /** Node of the failure. Empty if the assets never reached a node. */
  node: string;
  count: number;
  title: string | null;
  message: string;
  fix: string | null;
  keys: string[];
  /** Command that reruns these assets. Null until the run has finished. */
  rerunCommand: string | null;
}

export interface ReportedRequests {
  operation: string;
  /** Number of requests that were sent. Null if unknown. */
  sent: number | null;
  /** Number of requests that the plan estimates for the assets that the run discovered. Null if unknown. */
  planned: number | null;
}

/** A delivered file, a failed asset or a waiting picture, with the names of its positions. Only a file has a `path`. */
export interface ReportedOutput extends Readonly<Record<DimensionName, string | null>> {
  key: string;
  /** Key of the model, which all of its cells share. */
  model: string;
  /**
   * `waiting` means that the picture differs from the previous one and is delivered only after approval. Delivered
   * files of a failed asset are `complete`. The failure is a separate output.
   */
  outcome: 'complete' | 'failed' | 'skipped' | 'cancelled' | 'waiting';
  /** Path below the destination. Null without a delivered file, and for a picture that waits for approval. */
  path: string | null;
  /** Fingerprint of the export that delivered the file (`DeliveredFile.delivery`). Absent without a file. */
  delivery?: string;
  /** Future path of a picture that waits for approval. Otherwise null. */
  waitsFor: string | null;
  bytes: number;
  /** SHA-256 of the file, in hex. Empty without a file. */
  sha256: string;
  /** Width and height in pixels. 0 if the file is not a picture. */
  width: number;
  height: number;
  /** Share of pixels that differ from the previous picture, 0 to 1. Null if there is none, or if comparing failed. */
  change: number | null;
  /** The first stage that was repeated. Null for a new asset or a changed file. */
  startStage: Stage | null;
  failure: { code: string; node: string; message: string } | null;
  /** The last decision of a person about the pictures of the asset. Null if none was needed. */
  decision: ReportedDecision | null;
}
