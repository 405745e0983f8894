// The timeline of a run in its report: the actions of people, and the times of each step. Types only.
import type { Plan } from '../types.ts';

/** What a person, a schedule or a program did with a run. */
export interface RunAction {
  /** ISO 8601. */
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
  /** `anna@studio-2` for a command; Temporal's identity for others. Empty if there is none. */
  by: string;
  /** The reason that a person gave. */
  reason?: string;
  /** Number of changed pictures that were approved. */
  pictures?: number;
  /** Numbers of assets that were approved and rejected at approval nodes; `rejected` also of changed pictures. */
  approved?: number;
  rejected?: number;
}

export interface StepTimes {
  step: string;
  node: string;
  /** Assets by how they last left the step. */
  done: number;
  failed: number;
  skipped: number;
  /** Its API requests, by operation. */
  requests: Record<string, number>;
  calls: number;
  /** The step whose calls also ran this step, and with which their requests are counted; null if it had only calls of its own. */
  within: string | null;
  /** When its first call started and its last one finished, ISO 8601. */
  from: string;
  until: string;
  /** Seconds in which at least one of its calls was running. */
  busySeconds: number;
}

/** Steps in the order in which they started. */
export interface RunTimes {
  steps: StepTimes[];
  /** Shards whose history was read, out of all shards. */
  shards: { read: number; of: number };
}

export interface RunTimeline {
  /** null if Temporal no longer has the run. */
  plan: Plan | null;
  actions: RunAction[];
  times: RunTimes | null;
}
