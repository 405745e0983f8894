// Decides how many permits of a key's rate limit each worker may hold. Pure: every method gets the time.
import {
  type AllowanceCarried,
  bucketsPerWindow,
  type ClockSkew,
  type Lease,
  type LeaseRequest,
  type LeaveRequest,
  type Member,
  minLeaseMs,
  type RateLimitReport,
  windowMs,
} from './allowance-contract.ts';
import { noOtherClients, permitsOfOthers, recordShortfall } from './allowance-other-clients.ts';
import { dividePermits } from './allowance-shares.ts';

/**
 * How soon a worker asks again: when workers compete (and this long per worker), when it shares the key, alone with
 * all permits in use, working, idle.
 */
const renewIntervalsMs = {
  contended: 2_500,
  perWorker: 300,
  shared: 10_000,
  full: 15_000,
  working: 30_000,
  idle: 60_000,
};
/** A worker with too many permits may reuse about half of those that return until it asks again. */
const keptShare = 0.98;
/** A limit learned from the platform expires after this time, since it may have been raised. */
const learnedLimitTtlMs = 24 * 3_600_000;
/** Workers of a previous workflow report their permits within this time. */
const recoveryMs = 65_000;
/** Workers that got no response for a while report within this time once the workflow responds again. */
const rejoinMs = 5_000;
const bucketMs = windowMs / bucketsPerWindow;
/** A permit returns one window after the response; few responses take longer than this. */
const responseSlackMs = 2_000;
/** Limit for remembered members; far more than one key has workers. */
const maxMembers = 500;

export class AllowanceState {
  readonly #createdAtMs: number;
  #frozenUntilMs: number;
  #limit: AllowanceCarried['limit'];
  #blockedUntilMs: number;
  #otherClients: AllowanceCarried['otherClients'];
  readonly #members: Map<string, Member>;

  constructor(nowMs: number, carried?: AllowanceCarried) {
    this.#createdAtMs = carried?.createdAtMs ?? nowMs;
    this.#frozenUntilMs = carried?.frozenUntilMs ?? nowMs;
    this.#limit = carried?.limit ?? null;
    this.#blockedUntilMs = carried?.blockedUntilMs ?? nowMs - windowMs;
    this.#otherClients = carried?.otherClients ?? noOtherClients;
    this.#members = new Map(carried?.members.map((member) => [member.worker, member]));
  }

  carried(): AllowanceCarried {
    return {
      createdAtMs: this.#createdAtMs,
      frozenUntilMs: this.#frozenUntilMs,
      limit: this.#limit,
      blockedUntilMs: this.#blockedUntilMs,
      otherClients: this.#otherClients,
      members: [...this.#members.values()],
    };
  }

  lease(request: LeaseRequest, nowMs: number): Lease {
    this.#forgetExpired(nowMs);
    const known = this.#members.get(request.worker);
    // A late request must not overwrite a newer one.
    if (known && request.sequence <= known.sequence) return this.#leaseFor(known, nowMs);
    const member = this.#recordRequest(request, known, nowMs);
    this.#learnLimit(request, nowMs);
    if (request.refusal) this.#recordRefusal(request.refusal, nowMs);
    const permits = this.availablePermits(nowMs);
    const allotment = permits === null ? null : this.#allotmentFor(member, permits, nowMs);
    if ((allotment === 0) !== (member.allotment === 0)) member.sinceMs = nowMs;
    member.allotment = allotment;
    const answer = this.#leaseFor(member, nowMs);
    member.leaseEndMs = nowMs + answer.leaseMs;
    return answer;
  }

  #leaseFor(member: Member, nowMs: number): Lease {
    const renew = this.#renewMs(member, nowMs);
    const limit = this.availablePermits(nowMs);
    const sharesKey =
      limit !== null && member.wantedPermits > 0 && this.#aliveMembers(nowMs).length > 1;
    return {
      allotment: member.allotment,
      limit,
      heldByOthers: this.#heldByOthers(member, nowMs),
      blockedForMs: Math.max(0, this.#blockedUntilMs - nowMs),
      // Workers that share a key ask sooner than their lease demands, since another may need the surplus.
      renewAfterMs: sharesKey ? Math.min(renew, renewIntervalsMs.shared) : renew,
      // A slow response or one lost request costs no lease.
      leaseMs: Math.max(minLeaseMs, renew * 1.5 + 8_000),
    };
  }

  leave({ worker, sequence, heldPermits, requestCounts }: LeaveRequest, nowMs: number): void {
    const member = this.#members.get(worker);
    if (!member || sequence <= member.sequence) return;
    this.#members.set(worker, {
      ...member,
      allotment: 0,
      currentAllotment: 0,
      wantedPermits: 0,
      leaseEndMs: nowMs,
      hasLeft: true,
      sequence,
      heldPermits,
      requestCounts,
      reportedAtMs: nowMs,
    });
  }

  /** Requests per window for our workers; null while the limit is unknown. */
  availablePermits(nowMs: number): number | null {
    const limit = this.limit(nowMs);
    return limit === null ? null : limit - permitsOfOthers(this.#otherClients, limit, nowMs);
  }

  /** The limit from the platform, or else from the workers' settings. */
  limit(nowMs: number): number | null {
    const known = this.#limit;
    if (known === null) return null;
    return known.isFromPlatform && nowMs - known.reportedAtMs > learnedLimitTtlMs
      ? null
      : known.value;
  }

  /** Workers, and workers that have left but whose permits have not returned. */
  members(nowMs: number): (Member & { alive: boolean; availablePermits: number })[] {
    return [...this.#members.values()].map((member) => ({
      ...member,
      alive: isAlive(member, nowMs),
      availablePermits: committedPermits(member, nowMs),
    }));
  }

  /** Workers whose machine has a wrong clock. */
  clockSkews(nowMs: number): ClockSkew[] {
    return this.#aliveMembers(nowMs).flatMap(({ worker, clockAheadMs: aheadMs }) =>
      aheadMs === undefined ? [] : { worker, aheadMs },
    );
  }

  #forgetExpired(nowMs: number): void {
    for (const [worker, { leaseEndMs }] of this.#members) {
      if (leaseEndMs + windowMs <= nowMs) this.#members.delete(worker);
    }
  }

  #recordRequest(request: LeaseRequest, known: Member | undefined, nowMs: number): Member {
    const { worker, sequence, currentAllotment, heldPermits, wantedPermits, requestCounts } =
      request;
    // The workflow before this one was terminated while its workers kept running.
    const isFromPreviousWorkflow =
      !known && (currentAllotment ?? 0) > 0 && nowMs - this.#createdAtMs < recoveryMs;
    if (isFromPreviousWorkflow) this.#frozenUntilMs = this.#createdAtMs + recoveryMs;
    // The lease of this worker expired long ago, so other unknown workers may be sending a little as well.
    if (!known && currentAllotment === 0)
      this.#frozenUntilMs = Math.max(this.#frozenUntilMs, nowMs + rejoinMs);
    const { clockAheadMs } = request;
    const clock = clockAheadMs === undefined ? {} : { clockAheadMs };
    const parts = requestCounts.slice(0, bucketsPerWindow);
    const reported = {
      worker,
      sequence,
      currentAllotment,
      heldPermits,
      wantedPermits,
      requestCounts: parts,
      reportedAtMs: nowMs,
      ...clock,
    };
    const { allotment: previousAllotment, sinceMs } = known ?? {
      allotment: currentAllotment,
      sinceMs: nowMs,
    };
    const member: Member = {
      ...reported,
      allotment: previousAllotment,
      sinceMs,
      leaseEndMs: nowMs,
    };
    if (known || this.#members.size < maxMembers) this.#members.set(worker, member);
    return member;
  }

  #learnLimit({ limit, refusal }: LeaseRequest, nowMs: number): void {
    const platformLimit = refusal?.limit;
    if (platformLimit !== undefined)
      this.#limit = { value: platformLimit, isFromPlatform: true, reportedAtMs: nowMs };
    else if (
      limit !== undefined &&
      (this.limit(nowMs) === null || this.#limit?.isFromPlatform === false)
    ) {
      this.#limit = { value: limit, isFromPlatform: false, reportedAtMs: nowMs };
    }
  }

  #recordRefusal({ agoMs, resetInMs }: RateLimitReport, nowMs: number): void {
    const atMs = nowMs - agoMs;
    // One window of the platform can refuse many requests, all for the same reason.
    const isSameWindow = atMs < this.#blockedUntilMs;
    if (resetInMs === undefined || isSameWindow) return;
    this.#blockedUntilMs = atMs + Math.min(resetInMs, 2 * windowMs);
    const limit = this.limit(nowMs);
    if (limit === null) return;
    const elapsedMs = Math.max(0, windowMs - resetInMs);
    const ours = this.#requestsSince(atMs - elapsedMs);
    this.#otherClients = recordShortfall(
      this.#otherClients,
      { limit, ownRequests: ours, elapsedMs },
      nowMs,
    );
  }

  /** Reported requests of all workers since a time. A part of a window counts in full. */
  #requestsSince(sinceMs: number): number {
    let count = 0;
    for (const { requestCounts, reportedAtMs } of this.#members.values()) {
      for (const [part, requests] of requestCounts.entries()) {
        if (reportedAtMs - part * bucketMs > sinceMs) count += requests;
      }
    }
    return count;
  }

  #allotmentFor(member: Member, permits: number, nowMs: number): number {
    const { shares } = this.#dividePermits(permits, nowMs);
    const share = shares.get(member.worker) ?? 0;
    const others = [...this.#members.values()].filter(({ worker }) => worker !== member.worker);
    const free = permits - others.reduce((sum, other) => sum + committedPermits(other, nowMs), 0);
    const { currentAllotment, heldPermits } = member;
    const has = currentAllotment ?? 0;
    // A worker with too many permits reuses some of those that return, so that it does not stop completely.
    const kept = free < 0 ? 0 : Math.min(has, Math.floor(heldPermits * keptShare));
    const targetPermits = Math.max(share, kept);
    // A new workflow does not know yet which permits other workers hold.
    const max = nowMs < this.#frozenUntilMs ? has : free;
    return Math.max(0, Math.min(targetPermits, has), Math.min(targetPermits, max, free));
  }

  #dividePermits(availablePermits: number, nowMs: number) {
    const alive = this.#aliveMembers(nowMs);
    const claimants = alive.map(({ worker, wantedPermits, allotment, sinceMs }) => {
      return { worker, wantedPermits, hasPermits: allotment !== null && allotment > 0, sinceMs };
    });
    // Permits of workers that have left are not available yet.
    const deadMembers = [...this.#members.values()].filter((member) => !isAlive(member, nowMs));
    const taken = deadMembers.reduce((sum, member) => sum + committedPermits(member, nowMs), 0);
    return dividePermits(availablePermits - taken, claimants);
  }

  #renewMs({ wantedPermits, worker }: Member, nowMs: number): number {
    const availablePermits = this.availablePermits(nowMs);
    const alive = this.#aliveMembers(nowMs);
    const isAlone = alive.every((member) => member.worker === worker);
    // Many workers together ask no more often than a few.
    const tightMs = Math.max(renewIntervalsMs.contended, alive.length * renewIntervalsMs.perWorker);
    if (availablePermits === null)
      return isAlone || wantedPermits === 0 ? renewIntervalsMs.working : tightMs;
    const { shares, isContended } = this.#dividePermits(availablePermits, nowMs);
    if (!isContended) return wantedPermits > 0 ? renewIntervalsMs.working : renewIntervalsMs.idle;
    if (isAlone || wantedPermits === 0) return renewIntervalsMs.full;
    const isBalanced = alive.every(
      ({ worker: one, allotment }) => Math.abs((allotment ?? 0) - (shares.get(one) ?? 0)) <= 2,
    );
    return isBalanced ? 2 * tightMs : tightMs;
  }

  #aliveMembers(nowMs: number): Member[] {
    return [...this.#members.values()].filter((member) => isAlive(member, nowMs));
  }

  #heldByOthers({ worker }: Member, nowMs: number): number {
    const others = [...this.#members.values()].filter((member) => member.worker !== worker);
    return others.reduce((sum, member) => sum + unreturnedPermits(member, nowMs), 0);
  }
}

/** A worker whose lease has not expired counts as alive. */
function isAlive({ leaseEndMs, hasLeft }: Member, nowMs: number): boolean {
  return hasLeft === undefined && nowMs <= leaseEndMs;
}

/** Permits that a worker may be holding, whichever of our responses have reached it. */
function committedPermits(member: Member, nowMs: number): number {
  const { allotment, currentAllotment, heldPermits, leaseEndMs, hasLeft } = member;
  if (nowMs >= leaseEndMs + windowMs) return 0;
  return hasLeft
    ? unreturnedPermits(member, nowMs)
    : Math.max(allotment ?? 0, currentAllotment ?? 0, heldPermits);
}

/** Permits that a worker still holds of those that it reported. They return as its requests age. */
function unreturnedPermits(
  { heldPermits, requestCounts, reportedAtMs }: Member,
  nowMs: number,
): number {
  const held = requestCounts.filter(
    (_, part) => nowMs < reportedAtMs - part * bucketMs + windowMs + responseSlackMs,
  );
  return Math.min(
    heldPermits,
    held.reduce((sum, requests) => sum + requests, 0),
  );
}
