// Messages between the workers of one API key and the workflow that divides the rate limit of the API key among them. A
// permit allows one request per window. Times are durations, since the clocks of machines differ.

/** Length of the platform's rate limit window, ms. */
export const windowMs = 60_000;
/** A worker reports how many requests it started in each of this number of equal parts of a window. */
export const bucketsPerWindow = 6;

/**
 * Shortest duration of a lease of permits. A worker whose lease request is unanswered keeps its allotment for at most
 * this time, since the lost response may have set a shorter lease than the last one that arrived.
 */
export const minLeaseMs = 12_000;

/** A worker's request for a share of the permits. */
export interface LeaseRequest {
  /** Unique per process. */
  worker: string;
  /** Number of this lease request, so that a late one can be ignored. */
  sequence: number;
  /** The allotment that the worker applies. 0 after its lease expired. Null without a lease or a known limit. */
  currentAllotment: number | null;
  /** Number of permits in use: requests in flight, and requests that finished less than a window ago. */
  heldPermits: number;
  wantedPermits: number;
  /** Number of API requests started in each bucket (`bucketsPerWindow`), newest first. */
  requestCounts: number[];
  /** `rateLimit` of the worker's settings, requests per window. */
  limit?: number;
  /** The platform refused a request since the worker's last lease request. */
  refusal?: RateLimitReport;
  /** How far the machine's clock is ahead of the platform's clock, ms. Absent if it is correct. */
  clockAheadMs?: number;
}

export interface RateLimitReport {
  agoMs: number;
  /** Limit that the refusal stated, requests per window. */
  limit?: number;
  /** Time from the refusal to the end of the platform's window. Absent if the platform did not report it. */
  resetInMs?: number;
}

export interface Lease {
  /** Permits that the worker may hold at a time. Null if the limit is unknown. */
  allotment: number | null;
  /** Number of requests per window for all workers of the key. Null if unknown. */
  limit: number | null;
  heldByOthers: number;
  /** Time in which the worker must not send requests. */
  blockedForMs: number;
  /** Time after which the worker sends its next lease request. */
  renewAfterMs: number;
  /** The allotment expires after this time unless it is renewed. */
  leaseMs: number;
}

/** A worker's last message, which says that it is stopping and sends no more API requests. */
export type LeaveRequest = Pick<
  LeaseRequest,
  'worker' | 'sequence' | 'heldPermits' | 'requestCounts'
>;

export interface AllowanceInput {
  /** Set by continue-as-new. */
  carried?: AllowanceContinuation;
}

/** State that the workflow passes to its continuation. Times are by the workflow's clock. */
export interface AllowanceContinuation {
  createdAtMs: number;
  /** No allotment grows before this time. */
  frozenUntilMs: number;
  limit: { value: number; isFromPlatform: boolean; reportedAtMs: number } | null;
  blockedUntilMs: number;
  otherClients: OtherClientsState;
  members: Member[];
}

/** A worker, as its last lease request describes it. */
export interface Member extends Omit<LeaseRequest, 'limit' | 'refusal'> {
  /** The last allotment that was sent to the worker. */
  allotment: number | null;
  reportedAtMs: number;
  leaseEndMs: number;
  /** Time since which the worker's allotment has been zero, or above zero. */
  sinceMs: number;
  /** True if the worker has left. Its permits return one window later. */
  hasLeft?: true;
}

/** Estimate of how much of the rate limit other clients of the key use. */
export interface OtherClientsState {
  /** Number of permits per window. */
  permits: number;
  sinceMs: number;
  /** Number of windows to wait before reclaiming some of these permits. */
  backoffWindows: number;
  /** Time of the last refusal that our own requests do not explain. */
  refusedAtMs: number | null;
}

export interface ClockSkew {
  worker: string;
  aheadMs: number;
}
