// What activities are asked about shards that their run does not follow any more.
import type { RunContext } from './run-context.ts';

export interface EndStraysInput {
  context: RunContext;
  /** First shard that the run has not begun. */
  from: number;
  /** Only so many; absent: all behind it. */
  count?: number;
}

export interface ClosedShardsInput {
  context: RunContext;
  shards: number[];
}
