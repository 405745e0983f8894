// Notices about a run to external receivers, and the result of sending them. Types only.

import type { LateRun } from '../deadline.ts';
import type { ExportCounts } from '../run/export-tally.ts';
import type { PaidWork } from '../run/paid-work.ts';
import type { RunCause } from '../run/run-cause.ts';
import type { ExportMemo } from '../run/run-memo.ts';
import type { StartPointCount } from '../run/start-points.ts';
import type { Outcome, Totals } from '../shard/totals.ts';
import type { ConnectorSpec, Failure, NoticeTarget } from '../types.ts';
import type { WithdrawnCounts } from '../withdrawal.ts';

/** Body of a notice to receivers of `notify:` about a run that has ended, waits for approval, or is late. */
export interface Notice {
  schema: 'renderline/run-notice/v1';
  run: string;
  pipeline: string;
  /** `waiting`: the open run waits for approval. `late`: the run has missed its deadline or is expected to miss it. */
  outcome: Outcome | 'waiting' | 'late';
  deadline?: LateRun;
  assets: Totals;
  withdrawn?: WithdrawnCounts;
  /** Why the run took no assets, stopped early, or waits. Null otherwise. */
  cause: Pick<RunCause, 'code' | 'message'> | null;
  /** The first few failures. */
  failures: Failure[];
  /** Location of the run's report. Null if the run writes none or has not ended. */
  report: string | null;
  /** Time in ISO 8601 format. */
  startedAt: string;
  endedAt: string;
}

export interface NoticeInput {
  /** Id of the notice. Every attempt has the same id, so that receivers can drop duplicates. */
  id: string;
  target: NoticeTarget;
  notice: Notice;
  /** Location of the run's records, which contain the paid work. */
  records: ConnectorSpec;
  /** The exports, in the order of the pipeline file. Absent if there is at most one. */
  exports?: ExportMemo[];
}

export interface SentNotice extends Omit<Notice, 'endedAt'> {
  /** Work that the platform accepted from the run and bills. Null if the records cannot be read. */
  paid: PaidWork | null;
  /** As in `Discovery`. Empty if there are none. Null if the records cannot be read. */
  startPoints: StartPointCount[] | null;
  /** Results of each export if there are several. Empty otherwise. */
  exports: ExportCounts[];
  /** The run's page in the Temporal UI. Null if the worker does not know the address of the UI. */
  temporalUi: string | null;
  /** A link that lets one person decide. Null if the worker cannot create links. Absent if no link is wanted. */
  decide?: { person: string; until: string; url: string } | null;
}

export interface NoticeResult {
  status: number;
  attempts: number;
}
