// Inputs of the activities for shards that their run no longer follows.
import type { RunContext } from '../run/run-context.ts';

export interface EndOrphanedChildrenInput {
  context: RunContext;
  /** First shard that the run has not started. */
  firstShard: number;
  /** Number of shards. Defaults to `firstShard` and all later ones. */
  count?: number;
}

export interface ClosedShardsInput {
  context: RunContext;
  shards: number[];
}
