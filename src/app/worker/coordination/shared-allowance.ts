// Leases a worker's share of the allowance of its key from the workflow, and passes it to the budget of this process.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatClockWarning } from '../../../api/clock.ts';
import type { RateHeaders } from '../../../api/errors/retry-after.ts';
import type { RateBudget } from '../../../api/rate-limit/budget.ts';
import {
  bucketsPerWindow,
  type Lease,
  type LeaseRequest,
  type LeaveRequest,
  minLeaseMs,
  type RateLimitReport,
} from '../../../plan/allowance/allowance-contract.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import type { AllowanceWorkflow } from './allowance-workflow.ts';

export interface SharedAllowanceOptions {
  workflow: Pick<AllowanceWorkflow, 'lease' | 'leave'>;
  budget: RateBudget;
  /** Name of this worker, as shown to people. */
  identity: string;
  /** Returns how far this machine's clock is ahead of the platform's, in ms. */
  clockAheadMs: () => number;
  onSharing?: ((state: SharingState) => void) | undefined;
}

export interface SharingState {
  isShared: boolean;
  /** Why the workers do not share the allowance. Empty while they share it. */
  reason: string;
}

/** Interval at which the demand of this process is checked. */
const pollIntervalMs = 250;
/** Minimum time between requests for a larger share, unless the last request was granted. */
const growthIntervalMs = 2_500;
const retryMs = 2_000;
const failuresBeforeReport = 3;
/** Share of the allowance that a worker uses while the workflow does not respond. */
const safeShare = 0.1;
/** Permits that a worker requests in addition to those it needs, as a share of the allowance. */
const growthShare = 0.01;

export class SharedAllowance {
  readonly #options: SharedAllowanceOptions;
  /** The rate limit from the settings. */
  readonly #configured: number | undefined;
  #lease: Lease | null = null;
  #leasedAtMs = 0;
  #leaseEndsAtMs = 0;
  #nextRequestAtMs = 0;
  /** Minimum age of the lease before a larger share is requested. It is shorter after a granted request. */
  #growthDelayMs = 0;
  /** A refusal (429) that has not yet been reported to the workflow. */
  #refusal: { atMs: number; rate: RateHeaders } | undefined;
  #sequence = 0;
  #isShared: boolean | null = null;
  #failedRequests = 0;
  #timer: NodeJS.Timeout | undefined;
  #pendingRequest: Promise<void> = Promise.resolve();
  #isRequesting = false;

  constructor(options: SharedAllowanceOptions) {
    this.#options = options;
    this.#configured = options.budget.limit;
  }

  start(): void {
    // Until the first lease, the number of other workers is unknown, so this worker uses a small share.
    this.#useSafeShare();
    this.#timer = setInterval(() => this.#poll(), pollIntervalMs);
    this.#poll();
  }

  /** Gives up its share. After that, the budget of this process is no longer limited by a lease. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.race([this.#pendingRequest, sleep(1_000, undefined, { ref: false })]);
    const { budget, workflow } = this.#options;
    if (this.#lease !== null) await workflow.leave(this.#usage()).catch(() => undefined);
    budget.allot(undefined);
  }

  #poll(): void {
    const nowMs = performance.now();
    if (this.#isExpired()) this.#useSafeShare();
    if (this.#isRequesting || (nowMs < this.#nextRequestAtMs && !this.#mustRenewEarly(nowMs)))
      return;
    this.#pendingRequest = this.#requestLease();
  }

  #isExpired(): boolean {
    return this.#lease !== null && performance.now() > this.#leaseEndsAtMs;
  }

  /** True if the lease must be renewed early, because a request was refused or the share is nearly used up. */
  #mustRenewEarly(nowMs: number): boolean {
    const { budget } = this.#options;
    if (budget.wasRefused) return true;
    if (this.#lease?.allotment == null || this.#lease.limit === null) return false;
    if (nowMs - this.#leasedAtMs < this.#growthDelayMs) return false;
    const { allotment, limit } = this.#lease;
    const { permitsHeld, waiting } = budget.demand(bucketsPerWindow);
    return permitsHeld + waiting > 0.7 * allotment && allotment < 0.95 * limit;
  }

  async #requestLease(): Promise<void> {
    this.#isRequesting = true;
    const requestedAtMs = performance.now();
    const previous = this.#lease?.allotment ?? null;
    try {
      const lease = await this.#options.workflow.lease(this.#request());
      this.#refusal = undefined;
      // The lease is counted from the request, so that it never ends later here than in the workflow.
      this.#leasedAtMs = requestedAtMs;
      this.#leaseEndsAtMs = requestedAtMs + lease.leaseMs;
      this.#nextRequestAtMs = requestedAtMs + lease.renewAfterMs * (0.9 + 0.2 * Math.random());
      const isMore = lease.allotment !== null && lease.allotment > (previous ?? 0);
      this.#growthDelayMs = isMore ? pollIntervalMs : growthIntervalMs;
      this.#applyLease(lease);
      this.#failedRequests = 0;
      this.#reportSharing(true, '');
    } catch (error) {
      this.#nextRequestAtMs = performance.now() + retryMs * (0.5 + Math.random());
      this.#leaseEndsAtMs = Math.min(this.#leaseEndsAtMs, requestedAtMs + minLeaseMs);
      // Without a first lease, sharing may be impossible altogether, so the worker uses its own budget.
      if (this.#lease === null) this.#options.budget.allot(undefined);
      this.#failedRequests += 1;
      // The first request may fail because no worker has picked up the workflow yet.
      if (this.#lease === null && this.#failedRequests >= failuresBeforeReport)
        this.#reportSharing(false, reasonOf(error));
    } finally {
      this.#isRequesting = false;
    }
  }

  /** Returns how this worker uses its permits. */
  #usage(): LeaveRequest {
    const { budget, identity: worker } = this.#options;
    const { permitsHeld: heldPermits, sent: requestCounts } = budget.demand(bucketsPerWindow);
    this.#sequence += 1;
    return { worker, sequence: this.#sequence, heldPermits, requestCounts };
  }

  #request(): LeaseRequest {
    const { budget } = this.#options;
    const aheadMs = this.#options.clockAheadMs();
    const { permitsHeld, waiting } = budget.demand(bucketsPerWindow);
    const refusal = budget.takeRefusal();
    if (refusal) this.#refusal ??= { atMs: performance.now() - refusal.agoMs, rate: refusal.rate };
    return {
      ...this.#usage(),
      currentAllotment: this.#isExpired() ? 0 : (this.#lease?.allotment ?? null),
      wantedPermits: computePermitsToRequest(permitsHeld, waiting, this.#lease?.limit ?? 0),
      ...omitUndefined({
        limit: this.#configured,
        refusal: this.#refusal && toRefused(this.#refusal),
        clockAheadMs: formatClockWarning(aheadMs) === null ? undefined : aheadMs,
      }),
    };
  }

  #applyLease(lease: Lease): void {
    const { allotment, limit, heldByOthers, blockedForMs } = lease;
    this.#lease = lease;
    const part = { permits: allotment ?? undefined, limit: limit ?? undefined, heldByOthers };
    this.#options.budget.allot({ ...part, blockedForMs });
  }

  /** Limits this worker to a small share while the workflow does not respond. */
  #useSafeShare(): void {
    const limit = this.#lease === null ? this.#configured : this.#lease.limit;
    const permits = Math.max(1, Math.floor((limit ?? 0) * safeShare));
    // If the limit is unknown, a starting worker gets one permit, and a worker with a lease keeps its budget.
    if (this.#lease === null)
      this.#options.budget.allot({ permits, limit: this.#configured, heldByOthers: 0 });
    else if (limit !== null)
      this.#applyLease({ ...this.#lease, allotment: permits, blockedForMs: 0 });
  }

  #reportSharing(isShared: boolean, reason: string): void {
    if (this.#isShared === isShared) return;
    this.#isShared = isShared;
    this.#options.onSharing?.({ isShared, reason });
  }
}

/** Returns the message of an error, or of its cause, because errors of the SDK may have empty messages. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error.cause === undefined ? error.name : reasonOf(error.cause));
}

/** Computes how many places to request: 0 if none are in use, otherwise more than that, so that the share can grow. */
function computePermitsToRequest(
  heldPermits: number,
  waitingRequests: number,
  limit: number,
): number {
  const inUse = heldPermits + waitingRequests;
  if (inUse === 0) return 0;
  return (
    (waitingRequests > 0 ? 2 * inUse + 4 * waitingRequests : inUse) + Math.ceil(growthShare * limit)
  );
}

function toRefused({ atMs, rate }: { atMs: number; rate: RateHeaders }): RateLimitReport {
  const { limit, retryAfterMs, resetInMs = retryAfterMs } = rate;
  return { agoMs: performance.now() - atMs, ...omitUndefined({ limit, resetInMs }) };
}
