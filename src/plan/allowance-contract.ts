// What workers of one key and the workflow that shares the key's allowance among them tell each other.
// Times are durations: the clocks of machines differ.

/** Length of the platform's window, ms (platform.md, section 8). */
export const windowMs = 60_000;
/** A worker tells how many requests it began in each of the last so many parts of a window. */
export const sentParts = 6;

/**
 * Shortest lease. A worker whose question was not answered keeps its allotment for so long at most, since the answer that it
 * has not heard may have set a shorter lease than the one before.
 */
export const shortestLeaseMs = 12_000;

/** Question of a worker: how many places of the allowance are mine? */
export interface LeaseRequest {
  /** Another one for each process. */
  worker: string;
  /** Counts its questions, so that one which arrives late changes nothing. */
  turn: number;
  /** The allotment that it obeys, 0 after the end of its lease; null: it has had none yet. */
  obeys: number | null;
  /** Places that it holds: requests in flight, and those that ended less than a window ago. */
  holds: number;
  /** Places that it could use. */
  wants: number;
  /** Requests begun in each sixth of a window, the youngest first. */
  sent: number[];
  /** Requests in a window, as its settings say. */
  limit?: number;
  /** The platform refused a request since the last question. */
  refused?: Refused;
  /** By how much its machine's clock is ahead of the platform's, ms; absent where it is right. */
  clockAheadMs?: number;
}

export interface Refused {
  /** So long ago. */
  agoMs: number;
  /** As the refusal said. */
  limit?: number;
  /** Until the platform's window ended, counted from the refusal; absent where it did not say. */
  resetInMs?: number;
}

export interface Lease {
  /** Places that the worker may hold at a time; null: nobody knows the allowance. */
  allotment: number | null;
  /** Requests in a window that all workers of the key may send; null: not known. */
  limit: number | null;
  /** Places that other workers hold. */
  elsewhere: number;
  /** The platform takes nothing for so long. */
  holdMs: number;
  /** The worker asks again after so long. */
  renewMs: number;
  /** After so long without an answer the allotment is no longer its own. */
  leaseMs: number;
}

/** A worker ends, and sends nothing any more. */
export type LeaveRequest = Pick<LeaseRequest, 'worker' | 'turn' | 'holds' | 'sent'>;

export interface AllowanceInput {
  /** Set by continue-as-new. */
  carried?: AllowanceCarried;
}

/** State that the workflow hands to its continuation; times by the workflow's clock. */
export interface AllowanceCarried {
  bornMs: number;
  /** Until then nobody is given more than it has. */
  quietUntilMs: number;
  limit: { value: number; told: boolean; atMs: number } | null;
  heldUntilMs: number;
  others: OthersState;
  members: Member[];
}

/** A worker, as the workflow knows it. */
export interface Member {
  worker: string;
  turn: number;
  /** Allotment that it was told last. */
  told: number | null;
  obeys: number | null;
  holds: number;
  wants: number;
  sent: number[];
  /** When it told these. */
  atMs: number;
  leaseEndMs: number;
  /** Since when it has had no place at all, or has had some. */
  sinceMs: number;
  /** See LeaseRequest. */
  clockAheadMs?: number;
  /** It said goodbye; its places come back a window later. */
  left?: true;
}

/** What other clients of the key take of the allowance. */
export interface OthersState {
  /** Places of a window. */
  taken: number;
  sinceMs: number;
  /** Windows to wait before some of them is tried again. */
  patience: number;
  /** Last refusal that our own requests do not explain. */
  refusedMs: number | null;
}

/** A worker on a machine whose clock is ahead of the platform's by so much, ms. */
export interface WrongClock {
  worker: string;
  aheadMs: number;
}
