// What a run tells receivers outside, and what they answer. Types only.
import type { RunCause } from './run-cause.ts';
import type { Outcome, Totals } from './totals.ts';
import type { Failure, NoticeTarget } from './types.ts';

/** How a run ended, as receivers outside are told (`notify:`). */
export interface Notice {
  schema: 'renderline/run-notice/v1';
  run: string;
  pipeline: string;
  /** `waiting`: it has not ended, and waits for approval. */
  outcome: Outcome | 'waiting';
  assets: Totals;
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
}

/** What the receiver answered in the end. */
export interface NoticeResult {
  status: number;
  attempts: number;
}
