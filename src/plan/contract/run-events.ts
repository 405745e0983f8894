// Events that workflows emit to their worker, for logs and metrics. The events are not in the workflows' histories.
import type { Lateness } from '../deadline.ts';
import type { Outcome, Totals } from '../shard/totals.ts';

/** All events are small, and none contains an asset's name. */
export type RunEvent =
  | { kind: 'run-started'; pipeline: string; run: string; lagMs: number | null }
  | { kind: 'run-continued'; pipeline: string; run: string; continuations: number }
  | {
      kind: 'run-discovered';
      pipeline: string;
      run: string;
      added: DiscoveredCounts;
      shards: number;
    }
  | { kind: 'run-paused'; pipeline: string; run: string; cause: string }
  | { kind: 'run-resumed'; pipeline: string; run: string }
  | { kind: 'run-late'; pipeline: string; run: string; lateness: Lateness }
  | { kind: 'run-finished'; pipeline: string; run: string; end: RunEnd }
  | { kind: 'shard-started'; pipeline: string; run: string; shard: number; assets: number }
  | {
      kind: 'shard-finished';
      pipeline: string;
      run: string;
      shard: number;
      end: ShardEnd;
    };

export interface DiscoveredCounts {
  new: number;
  changed: number;
  unchanged: number;
  refused: number;
}

export interface ShardEnd {
  totals: Totals;
  /** Start of the shard's first execution. For a shard that broke, the time at which the run noticed it. */
  startedAtMs: number;
}

export interface RunEnd {
  outcome: Outcome;
  seconds: number;
  totals: Totals;
  requests: number;
  /** Code of the cause that stopped the run. Absent if the run was not stopped. */
  cause?: string;
  /** True if the command that started the run has its own trace span. */
  hasStart: boolean;
}

/** Memo field of a run, set if the command that started the run is traced. */
export const tracedMemoField = 'renderlineTraced';

/** Attribute of a workflow's log line that contains its event. */
export const runEventAttribute = 'renderlineEvent';
