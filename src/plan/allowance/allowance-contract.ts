// Messages between the workers of one key and the workflow that divides the key's rate limit among them. A permit
// allows one request per window. Times are durations, since the clocks of machines differ.

/** Length of the platform's rate limit window, ms. */
export const windowMs = 60_000;
/** A worker reports how many requests it started in each of this number of equal parts of a window. */
export const bucketsPerWindow = 6;

/**
 * Shortest lease. A worker whose request got no response keeps its allotment for at most this long, since the lost
 * response may have set a shorter lease than the one before.
 */
export const minLeaseMs = 12_000;

/** Request of a worker for its share of the permits. */
export interface LeaseRequest {
  /** Unique per process. */
  worker: string;
  /** Counts the worker's requests, so that a late one changes nothing. */
  sequence: number;
  /** The allotment that the worker applies now: 0 after its lease has expired, null before the first lease. */
  currentAllotment: number | null;
  /** Permits in use: requests in flight, and requests that finished less than a window ago. */
  heldPermits: number;
  /** Permits that the worker could use. */
  wantedPermits: number;
  /** Requests started in each sixth of a window, the newest first. */
  requestCounts: number[];
  /** Requests per window, from the worker's settings. */
  limit?: number;
  /** The platform refused a request since the worker's last lease request. */
  refusal?: RateLimitReport;
  /** How far the clock of its machine is ahead of the platform's, ms; absent if it is correct. */
  clockAheadMs?: number;
}

export interface RateLimitReport {
  /** Age of the refusal. */
  agoMs: number;
  /** Limit that the refusal stated. */
  limit?: number;
  /** Time from the refusal to the end of the platform's window; absent if the platform did not say. */
  resetInMs?: number;
}

export interface Lease {
  /** Permits that the worker may hold at a time; null if the limit is unknown. */
  allotment: number | null;
  /** Requests per window for all workers of the key; null if unknown. */
  limit: number | null;
  /** Permits that other workers hold. */
  heldByOthers: number;
  /** Nothing may be sent for this long. */
  blockedForMs: number;
  /** Time until the worker asks again. */
  renewAfterMs: number;
  /** Without a response the allotment expires after this time. */
  leaseMs: number;
}

/** A worker stops and sends no more requests. */
export type LeaveRequest = Pick<
  LeaseRequest,
  'worker' | 'sequence' | 'heldPermits' | 'requestCounts'
>;

export interface AllowanceInput {
  /** Set by continue-as-new. */
  carried?: AllowanceCarried;
}

/** State that the workflow passes to its continuation. Times are by the workflow's clock. */
export interface AllowanceCarried {
  createdAtMs: number;
  /** No allotment grows before this time. */
  frozenUntilMs: number;
  limit: { value: number; isFromPlatform: boolean; reportedAtMs: number } | null;
  blockedUntilMs: number;
  otherClients: OtherClientsState;
  members: Member[];
}

/** A worker, as its last request describes it. */
export interface Member extends Omit<LeaseRequest, 'limit' | 'refusal'> {
  /** The last allotment that was sent to it. */
  allotment: number | null;
  /** When it reported these values. */
  reportedAtMs: number;
  leaseEndMs: number;
  /** Since when it has had any permits, or none. */
  sinceMs: number;
  /** It has left. Its permits return one window later. */
  hasLeft?: true;
}

/** What other clients of the key use of the rate limit. */
export interface OtherClientsState {
  /** Permits per window. */
  permits: number;
  sinceMs: number;
  /** Windows to wait before reclaiming some of these permits. */
  backoffWindows: number;
  /** Last refusal that our own requests do not explain. */
  refusedAtMs: number | null;
}

/** A worker whose machine's clock is ahead of the platform's clock. */
export interface ClockSkew {
  worker: string;
  aheadMs: number;
}
