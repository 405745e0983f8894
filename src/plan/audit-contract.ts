// Who did what, and where it is kept: what is done to a run stands in its history; the rest is told to a workflow that does
// nothing else, beside whose signals the server writes time and identity. Pure.

/** What a person adds to a signal; absent where there is nothing to add. */
export interface SignalNote {
  reason?: string;
  /** Number of changed pictures that a resume approves. */
  pictures?: number;
}

export type AuditSubject = 'run' | 'schedule' | 'intake' | 'deployment' | 'pipeline';

/** An act that is about to be done. */
export interface RecordedAct {
  /** Made for this act alone. */
  id: string;
  what: string;
  subject: Exclude<AuditSubject, 'run'>;
  name: string;
  /** null for a deployment. */
  pipeline: string | null;
  reason?: string;
  details?: Readonly<Record<string, unknown>>;
}

/** A recorded act that came to nothing. */
export interface FailedAct {
  id: string;
  failed: string;
}

export interface AuditEntry {
  /** By the clock of the server, ISO 8601. */
  at: string;
  what: string;
  subject: AuditSubject;
  name: string;
  pipeline: string | null;
  /** Who says to have done it; empty where nobody did, as for a run of a schedule. */
  by: string;
  host: string;
  /** `command`, `ui`, `mcp`, `library`; `schedule` and `event` for runs that these have started; `other`: not Renderline. */
  via: string;
  reason: string | null;
  /** Why the act came to nothing; null where it was done. */
  failed: string | null;
  details: Readonly<Record<string, unknown>>;
}
