// The notices of a run to receivers outside, and their answers. Types only.
import type { Begin } from './begins.ts';
import type { ExportCounts } from './export-tally.ts';
import type { Paid } from './paid.ts';
import type { RunCause } from './run-cause.ts';
import type { ExportMemo } from './run-memo.ts';
import type { Outcome, Totals } from './totals.ts';
import type { ConnectorSpec, Failure, NoticeTarget } from './types.ts';
import type { WithdrawnCounts } from './withdrawal.ts';

/** How a run ended, as receivers outside are told (`notify:`). */
export interface Notice {
  schema: 'renderline/run-notice/v1';
  run: string;
  pipeline: string;
  /** `waiting`: it has not ended, and waits for approval. */
  outcome: Outcome | 'waiting';
  assets: Totals;
  /** Products whose source is gone: what was withdrawn; absent: nothing. */
  withdrawn?: WithdrawnCounts;
  /** Why it ended before it had taken anything, stopped before its end, or waits; else null. */
  cause: Pick<RunCause, 'code' | 'message'> | null;
  /** The first few. */
  failures: Failure[];
  /** ISO 8601. */
  startedAt: string;
  endedAt: string;
}

export interface NoticeInput {
  /** The same for every attempt; receivers drop what they have. */
  id: string;
  target: NoticeTarget;
  notice: Notice;
  /** Where the run's records lie, which tell what it paid for; absent in histories of before. */
  records?: ConnectorSpec;
  /** See RunMemo. */
  exports?: ExportMemo[];
}

/** A notice as receivers get it. */
export interface SentNotice extends Omit<Notice, 'endedAt'> {
  /** Work that the platform accepted from the run and bills; null where the records cannot be read. */
  paid: Paid | null;
  /** Assets that the pipeline makes something else of, by the first stage that is done again; null as `paid`. */
  begins: Begin[] | null;
  /** What came of each export, where there are several; else empty. */
  exports: ExportCounts[];
}

/** The receiver's last answer. */
export interface NoticeResult {
  status: number;
  attempts: number;
}
