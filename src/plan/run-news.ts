// What a workflow tells of itself to the worker that it runs on: for logs and metrics, never for its history.
import type { Outcome, Totals } from './totals.ts';

/** Each kind has the fields of its own; all are small, and none names an asset. */
export type RunNews =
  | { kind: 'run-started'; pipeline: string; run: string; lagMs: number | null }
  | { kind: 'run-continued'; pipeline: string; run: string; continuations: number }
  | { kind: 'run-found'; pipeline: string; run: string; more: FoundCounts; shards: number }
  | { kind: 'run-paused'; pipeline: string; run: string; cause: string }
  | { kind: 'run-resumed'; pipeline: string; run: string }
  | { kind: 'run-ended'; pipeline: string; run: string; ended: RunEnd }
  | { kind: 'shard-started'; pipeline: string; run: string; shard: number; assets: number }
  | { kind: 'shard-ended'; pipeline: string; run: string; shard: number; ended: ShardEnd };

/** Assets that a stretch of a listing has added. */
export interface FoundCounts {
  new: number;
  changed: number;
  unchanged: number;
  refused: number;
}

export interface ShardEnd {
  totals: Totals;
  /** Of its first execution. */
  startedAtMs: number;
}

export interface RunEnd {
  outcome: Outcome;
  seconds: number;
  totals: Totals;
  requests: number;
  /** Code of what stopped it; absent where nothing did. */
  cause?: string;
  /** What started it has a span of its own. */
  hasStart: boolean;
}

/** Field of a run's memo, set where the command that started it is traced. */
export const tracedMemoField = 'renderlineTraced';

/** Attribute of a workflow's log line that carries its news. */
export const newsAttribute = 'renderlineNews';
