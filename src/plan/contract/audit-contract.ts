// Types of the audit log: who did what. Actions on a run are in the history of the run. All other actions are signals
// to a workflow that only collects them. The server stores the time and identity of each signal. Pure.
import type { RunCause } from '../run/run-cause.ts';

/** What a person adds to a signal. */
export interface SignalNote {
  reason?: string;
  /** Number of changed pictures that a resume approves. `rejected` is the number of pictures that it rejects. */
  pictures?: number;
  rejected?: number;
  /** The general pause that the signal starts or ends. Its end continues only runs that a general pause holds. */
  general?: RunCause;
  /** A resume starts new records where those of earlier runs are missing. */
  newRecords?: true;
}

export const maxReasonLength = 500;

/** Announces decisions about assets that wait at approval nodes. The decisions themselves are in the store. */
export interface DecisionSignal extends SignalNote {
  /** Ids of the steps where the assets wait. */
  steps: string[];
  /** Shards of the assets. Absent if there are too many shards to list. */
  shards?: number[];
  approved: number;
  rejected: number;
}

export type AuditSubject =
  | 'run'
  | 'schedule'
  | 'event-trigger'
  | 'http-start'
  | 'deployment'
  | 'pipeline'
  | 'workspace';

/** An action that is about to be performed. */
export interface RecordedAction {
  /** Unique per action. */
  id: string;
  what: string;
  subject: Exclude<AuditSubject, 'run'>;
  name: string;
  /** Name of the pipeline. Null for a deployment and a workspace. */
  pipeline: string | null;
  reason?: string;
  details?: Readonly<Record<string, unknown>>;
}

/** Memo field of the audit log's workflow, set by continue-as-new: when its first execution started, ISO 8601. */
export const firstStartField = 'renderlineFirstStart';

export interface FailedAction {
  id: string;
  failed: string;
}

export interface AuditEntry {
  /** Server time, ISO 8601. */
  at: string;
  what: string;
  subject: AuditSubject;
  name: string;
  pipeline: string | null;
  /** Identity that the client states. Empty if there is none, as for a scheduled run. */
  by: string;
  host: string;
  /** `command`, `ui`, `mcp`, `http`, `library`; `schedule` or `event` if one started a run; `other`: not Renderline. */
  via: string;
  reason: string | null;
  /** Why the action failed. Null if it succeeded. */
  failed: string | null;
  details: Readonly<Record<string, unknown>>;
}
