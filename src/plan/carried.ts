// What a run hands to its continuation of what is under way.
import type { RunCause } from './run-cause.ts';

/** A shard in flight: what it does (0 calls, 1 waits, 2 only steps aside), and its complete, failed and skipped assets. */
export type CarriedShard = [shard: number, does: 0 | 1 | 2, number, number, number];

/** A run that waits for a person. */
export interface CarriedGate {
  paused: boolean;
  cause: RunCause | null;
  /** Until when it waits for approval; null: it does not. */
  untilMs: number | null;
}
