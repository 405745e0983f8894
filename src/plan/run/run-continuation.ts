// State of a run's open work for its continuation.
import type { RunCause } from './run-cause.ts';

/** A shard in flight. `does`: 0 calls, 1 waits, 2 only side steps. The rest: complete, failed and skipped assets. */
export type ContinuedShard = [shard: number, does: 0 | 1 | 2, number, number, number];

/** A run that waits for a person. */
export interface ContinuedHold {
  paused: boolean;
  cause: RunCause | null;
  /** Deadline of the approval that the run waits for. Null if it waits for none. */
  untilMs: number | null;
}
