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
import { dividePermits, reservedPermits } from './allowance-shares.ts';

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
  readonly #state: Omit<AllowanceCarried, 'members'>;
  readonly #members: Map<string, Member>;

  constructor(nowMs: number, carried?: AllowanceCarried) {
    const { members, ...state } = carried ?? {
      createdAtMs: nowMs,
      frozenUntilMs: nowMs,
      limit: null,
      blockedUntilMs: nowMs - windowMs,
      otherClients: noOtherClients,
      members: [],
    };
    this.#state = state;
    this.#members = new Map(members.map((member) => [member.worker, member]));
  }

  carried(): AllowanceCarried {
    return { ...this.#state, members: [...this.#members.values()] };
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
      heldByOthers: this.#sum(
        ({ worker }) => worker !== member.worker,
        (other) => unreturnedPermits(other, nowMs),
      ),
      blockedForMs: Math.max(0, this.#state.blockedUntilMs - nowMs),
      // Workers that share a key ask sooner than their lease demands, since another may need the surplus.
      renewAfterMs: sharesKey ? Math.min(renew, renewIntervalsMs.shared) : renew,
      // A slow response or one lost request costs no lease.
      leaseMs: Math.max(minLeaseMs, renew * 1.5 + 8_000),
    };
  }

  leave(request: LeaveRequest, nowMs: number): void {
    const member = this.#members.get(request.worker);
    if (!member || request.sequence <= member.sequence) return;
    this.#members.set(request.worker, {
      ...member,
      ...request,
      allotment: 0,
      currentAllotment: 0,
      wantedPermits: 0,
      leaseEndMs: nowMs,
      hasLeft: true,
      reportedAtMs: nowMs,
    });
  }

  /** Requests per window for our workers; null while the limit is unknown. */
  availablePermits(nowMs: number): number | null {
    const limit = this.limit(nowMs);
    return limit === null ? null : limit - permitsOfOthers(this.#state.otherClients, limit, nowMs);
  }

  /** The limit from the platform, or else from the workers' settings. */
  limit(nowMs: number): number | null {
    const known = this.#state.limit;
    const isExpired = known?.isFromPlatform && nowMs - known.reportedAtMs > learnedLimitTtlMs;
    return known === null || isExpired ? null : known.value;
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
    const { limit: _limit, refusal: _refusal, ...reported } = request;
    const { worker, currentAllotment, requestCounts } = request;
    const { createdAtMs, frozenUntilMs } = this.#state;
    // The workflow before this one was terminated while its workers kept running.
    if (!known && (currentAllotment ?? 0) > 0 && nowMs - createdAtMs < recoveryMs)
      this.#state.frozenUntilMs = createdAtMs + recoveryMs;
    // The lease of this worker expired long ago, so other unknown workers may be sending a little as well.
    if (!known && currentAllotment === 0)
      this.#state.frozenUntilMs = Math.max(frozenUntilMs, nowMs + rejoinMs);
    const member: Member = {
      ...reported,
      requestCounts: requestCounts.slice(0, bucketsPerWindow),
      reportedAtMs: nowMs,
      allotment: known ? known.allotment : currentAllotment,
      sinceMs: known?.sinceMs ?? nowMs,
      leaseEndMs: nowMs,
    };
    if (known || this.#members.size < maxMembers) this.#members.set(worker, member);
    return member;
  }

  #learnLimit({ limit, refusal }: LeaseRequest, nowMs: number): void {
    const platformLimit = refusal?.limit;
    const isReplaceable = this.limit(nowMs) === null || this.#state.limit?.isFromPlatform === false;
    const value = platformLimit ?? (isReplaceable ? limit : undefined);
    if (value === undefined) return;
    const isFromPlatform = platformLimit !== undefined;
    this.#state.limit = { value, isFromPlatform, reportedAtMs: nowMs };
  }

  #recordRefusal({ agoMs, resetInMs }: RateLimitReport, nowMs: number): void {
    const atMs = nowMs - agoMs;
    // One window of the platform can refuse many requests, all for the same reason.
    const isSameWindow = atMs < this.#state.blockedUntilMs;
    if (resetInMs === undefined || isSameWindow) return;
    this.#state.blockedUntilMs = atMs + Math.min(resetInMs, 2 * windowMs);
    const limit = this.limit(nowMs);
    if (limit === null) return;
    const elapsedMs = Math.max(0, windowMs - resetInMs);
    const shortfall = { limit, ownRequests: this.#requestsSince(atMs - elapsedMs), elapsedMs };
    this.#state.otherClients = recordShortfall(this.#state.otherClients, shortfall, nowMs);
  }

  /** Reported requests of all workers since a time. A part of a window counts in full. */
  #requestsSince(sinceMs: number): number {
    return this.#sum(
      () => true,
      ({ requestCounts, reportedAtMs }) =>
        sumOf(requestCounts.filter((_, part) => reportedAtMs - part * bucketMs > sinceMs)),
    );
  }

  #allotmentFor(member: Member, permits: number, nowMs: number): number {
    const { shares } = this.#dividePermits(permits, nowMs);
    const share = shares.get(member.worker) ?? 0;
    const isOther = ({ worker }: Member) => worker !== member.worker;
    const { currentAllotment, heldPermits } = member;
    const has = currentAllotment ?? 0;
    // Only a worker far below its share gets some of the reserve, also while another one still holds more than its share.
    const reserved = has > share / 2 ? reservedPermits(permits) : 0;
    const free = permits - reserved - this.#sum(isOther, (other) => committedPermits(other, nowMs));
    // A worker with too many permits reuses some of those that return, so that it does not stop completely.
    const kept = free < 0 ? 0 : Math.min(has, Math.floor(heldPermits * keptShare));
    const targetPermits = Math.max(share, kept);
    // A new workflow does not know yet which permits other workers hold.
    const max = nowMs < this.#state.frozenUntilMs ? has : free;
    return Math.max(0, Math.min(targetPermits, has), Math.min(targetPermits, max, free));
  }

  #dividePermits(availablePermits: number, nowMs: number) {
    // Permits of workers that have left are not available yet.
    const isDead = (member: Member) => !isAlive(member, nowMs);
    const taken = this.#sum(isDead, (member) => committedPermits(member, nowMs));
    return dividePermits(availablePermits - taken, this.#aliveMembers(nowMs));
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

  /** Sum over the members that match. */
  #sum(isCounted: (member: Member) => boolean, permitsOf: (member: Member) => number): number {
    const counted = [...this.#members.values()].filter(isCounted);
    return counted.reduce((sum, member) => sum + permitsOf(member), 0);
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
  const sinceMs = nowMs - windowMs - responseSlackMs;
  const held = requestCounts.filter((_, part) => reportedAtMs - part * bucketMs > sinceMs);
  return Math.min(heldPermits, sumOf(held));
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
