// The timeline of a run in its report: the actions of people, and the times of each step. Types only.
import type { Plan } from '../types.ts';

/** What a person, a schedule or a program did with a run. */
export interface RunAction {
  /** Time in ISO 8601 format. */
  at: string;
  what:
    | 'started'
    | 'paused'
    | 'resumed'
    | 'approved'
    | 'decided'
    | 'cancelled'
    | 'terminated'
    | 'reset';
  /** `anna@studio-2` for a command, or the identity that Temporal recorded. Empty if there is none. */
  by: string;
  reason?: string;
  pictures?: number;
  /** Numbers of assets approved and rejected at approval nodes. `rejected` also counts changed pictures. */
  approved?: number;
  rejected?: number;
}

export interface StepTimes {
  step: string;
  node: string;
  /** Number of assets, by the result with which they last left the step. */
  done: number;
  failed: number;
  skipped: number;
  requests: Record<string, number>;
  calls: number;
  /** The step whose calls also ran this step and counted its requests. Null if this step had only its own calls. */
  within: string | null;
  /** When the step's first call started and its last call finished, ISO 8601. */
  from: string;
  until: string;
  /** Seconds in which at least one call of the step was running. */
  busySeconds: number;
}

/** Steps in the order in which they started. */
export interface RunTimes {
  steps: StepTimes[];
  /** Shards whose history was read, out of all shards. */
  shards: { read: number; of: number };
}

export interface RunTimeline {
  /** The plan of the run. Null if Temporal no longer has the run. */
  plan: Plan | null;
  actions: RunAction[];
  times: RunTimes | null;
}
