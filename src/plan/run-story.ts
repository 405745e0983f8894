// What a report tells of a run beside its results: who had a hand in it, and what each step did. Types only.
import type { Plan } from './types.ts';

/** Something that a person, a schedule or a program did with a run. */
export interface Act {
  /** ISO 8601. */
  at: string;
  what: 'started' | 'paused' | 'resumed' | 'approved' | 'cancelled' | 'terminated' | 'reset';
  /** `anna@studio-2` for a command; as Temporal has it for others. Empty where it does not say. */
  by: string;
  /** What a person gave as the reason. */
  reason?: string;
  /** Number of changed pictures that were approved. */
  pictures?: number;
}

export interface StepTimes {
  step: string;
  node: string;
  /** Assets by how they left the step. */
  done: number;
  failed: number;
  passedOver: number;
  /** API requests of it, by operation. */
  requests: Record<string, number>;
  calls: number;
  /** When its first call began and its last one ended, ISO 8601. */
  from: string;
  until: string;
  /** Seconds in which at least one of its calls was under way. */
  busySeconds: number;
}

/** Steps in the order in which they began. */
export interface RunTimes {
  steps: StepTimes[];
  /** Shards whose history was read, of so many. */
  shards: { read: number; of: number };
}

export interface RunStory {
  /** null where Temporal has forgotten the run. */
  plan: Plan | null;
  people: Act[];
  times: RunTimes | null;
}
