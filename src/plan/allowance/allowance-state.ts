// Decides how many permits of a key's rate limit each worker may hold. Pure, because callers pass the time.
import {
  type AllowanceContinuation,
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
import { computeReserve, dividePermits } from './allowance-shares.ts';

/**
 * Time until a worker's next lease request. `contended`: workers compete. The interval is at least `perWorker` times
 * their number, and doubles once their allotments are balanced. `shared`: the maximum for an active worker that is not
 * alone. `full`: permits are short, and the worker is alone or wants none. `working`, `idle`: there are enough permits,
 * and the worker wants some or none.
 */
const renewIntervalsMs = {
  contended: 2_500,
  perWorker: 300,
  shared: 10_000,
  full: 15_000,
  working: 30_000,
  idle: 60_000,
};

/**
 * A worker that must give up permits keeps this share of those in use at each lease request, so it may reuse some of
 * the permits that are returned until its next request.
 */
const keptShare = 0.98;
/** A limit learned from the platform expires after this time, since it may have been raised. */
const learnedLimitTtlMs = 24 * 3_600_000;
/** Workers report their permits within this time to a new workflow that replaces a terminated one. */
const recoveryMs = 65_000;
/** Workers without a response report their permits within this time once the workflow responds again. */
const rejoinMs = 5_000;
const bucketMs = windowMs / bucketsPerWindow;
/** A permit returns one window after the response to its request. Few responses take longer than `responseSlackMs`. */
const responseSlackMs = 2_000;
/** Maximum number of remembered workers. A key never has nearly as many. */
const maxMembers = 500;

export class AllowanceState {
  readonly #state: Omit<AllowanceContinuation, 'members'>;
  readonly #members: Map<string, Member>;

  constructor(nowMs: number, continuation?: AllowanceContinuation) {
    const { members, ...state } = continuation ?? {
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

  carried(): AllowanceContinuation {
    return { ...this.#state, members: [...this.#members.values()] };
  }

  lease(request: LeaseRequest, nowMs: number): Lease {
    this.#forgetExpired(nowMs);
    const knownMember = this.#members.get(request.worker);
    // A late request is ignored, because it must not overwrite a newer one.
    if (knownMember && request.sequence <= knownMember.sequence)
      return this.#leaseFor(knownMember, nowMs);
    const member = this.#recordRequest(request, knownMember, nowMs);
    this.#learnLimit(request, nowMs);
    if (request.refusal) this.#recordRefusal(request.refusal, nowMs);
    const permits = this.availablePermits(nowMs);
    const allotment = permits === null ? null : this.#allotmentFor(member, permits, nowMs);
    if ((allotment === 0) !== (member.allotment === 0)) member.sinceMs = nowMs;
    member.allotment = allotment;
    const lease = this.#leaseFor(member, nowMs);
    member.leaseEndMs = nowMs + lease.leaseMs;
    return lease;
  }

  #leaseFor(member: Member, nowMs: number): Lease {
    const renew = this.#renewMs(member, nowMs);
    const limit = this.availablePermits(nowMs);
    const isAlone = this.#aliveMembers(nowMs).length <= 1;
    const sharesKey = limit !== null && member.wantedPermits > 0 && !isAlone;
    return {
      allotment: member.allotment,
      limit,
      heldByOthers: sumOf(this.#othersOf(member), (other) => countUnreturned(other, nowMs)),
      blockedForMs: Math.max(0, this.#state.blockedUntilMs - nowMs),
      // Workers that share a key renew early, since another worker may need their surplus permits.
      renewAfterMs: sharesKey ? Math.min(renew, renewIntervalsMs.shared) : renew,
      // The lease is longer than the interval, so that a slow response or one lost request does not end it.
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

  /** Returns the limit minus the permits of other clients, per window, or null while the limit is unknown. */
  availablePermits(nowMs: number): number | null {
    const limit = this.limit(nowMs);
    return limit === null ? null : limit - permitsOfOthers(this.#state.otherClients, limit, nowMs);
  }

  /** Returns the limit from the platform or, if unknown, from the workers' settings. Null if neither is known. */
  limit(nowMs: number): number | null {
    if (this.#state.limit === null) return null;
    const { value, isFromPlatform, reportedAtMs } = this.#state.limit;
    return isFromPlatform && nowMs - reportedAtMs > learnedLimitTtlMs ? null : value;
  }

  /** Returns all workers, including those that have left or expired but whose permits have not returned. */
  members(nowMs: number): (Member & { alive: boolean; availablePermits: number })[] {
    return [...this.#members.values()].map((member) => ({
      ...member,
      alive: isMemberAlive(member, nowMs),
      availablePermits: countCommitted(member, nowMs),
    }));
  }

  /** Returns the workers whose machine has a wrong clock. */
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

  #recordRequest(request: LeaseRequest, knownMember: Member | undefined, nowMs: number): Member {
    const { limit: _limit, refusal: _refusal, ...requestFields } = request;
    const { worker, currentAllotment, requestCounts } = request;
    const { createdAtMs, frozenUntilMs } = this.#state;
    // An earlier allowance workflow was terminated while its workers kept running.
    if (!knownMember && (currentAllotment ?? 0) > 0 && nowMs - createdAtMs < recoveryMs)
      this.#state.frozenUntilMs = createdAtMs + recoveryMs;
    // This worker was forgotten after its lease had expired. Other forgotten workers may also send a few requests.
    if (!knownMember && currentAllotment === 0)
      this.#state.frozenUntilMs = Math.max(frozenUntilMs, nowMs + rejoinMs);
    const member: Member = {
      ...requestFields,
      requestCounts: requestCounts.slice(0, bucketsPerWindow),
      reportedAtMs: nowMs,
      allotment: knownMember ? knownMember.allotment : currentAllotment,
      sinceMs: knownMember?.sinceMs ?? nowMs,
      leaseEndMs: nowMs,
    };
    if (knownMember || this.#members.size < maxMembers) this.#members.set(worker, member);
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
    // All refusals within one window of the platform have the same cause, so only the first one counts.
    const isSameWindow = atMs < this.#state.blockedUntilMs;
    if (resetInMs === undefined || isSameWindow) return;
    this.#state.blockedUntilMs = atMs + Math.min(resetInMs, 2 * windowMs);
    const limit = this.limit(nowMs);
    if (limit === null) return;
    const elapsedMs = Math.max(0, windowMs - resetInMs);
    const members = [...this.#members.values()];
    const ownRequests = sumOf(members, (member) => requestsSince(member, atMs - elapsedMs));
    const shortfall = { limit, ownRequests, elapsedMs };
    this.#state.otherClients = recordShortfall(this.#state.otherClients, shortfall, nowMs);
  }

  #allotmentFor(member: Member, permits: number, nowMs: number): number {
    const { shares } = this.#dividePermits(permits, nowMs);
    const share = shares.get(member.worker) ?? 0;
    const has = member.currentAllotment ?? 0;
    // Only a worker far below its share may use the reserve, for example while another worker still holds too much.
    const reserved = has > share / 2 ? computeReserve(permits) : 0;
    const committed = sumOf(this.#othersOf(member), (other) => countCommitted(other, nowMs));
    const freePermits = permits - reserved - committed;
    // A worker with too many permits may reuse some of the returned ones, so that it does not stop completely.
    const keptPermits =
      freePermits < 0 ? 0 : Math.min(has, Math.floor(member.heldPermits * keptShare));
    const targetPermits = Math.max(share, keptPermits);
    // A new workflow does not know yet which permits other workers hold.
    const maxPermits = nowMs < this.#state.frozenUntilMs ? has : freePermits;
    return Math.max(
      0,
      Math.min(targetPermits, has),
      Math.min(targetPermits, maxPermits, freePermits),
    );
  }

  #dividePermits(availablePermits: number, nowMs: number) {
    // Workers that left or expired have not returned their permits.
    const dead = [...this.#members.values()].filter((member) => !isMemberAlive(member, nowMs));
    const permitsOfDead = sumOf(dead, (member) => countCommitted(member, nowMs));
    return dividePermits(availablePermits - permitsOfDead, this.#aliveMembers(nowMs));
  }

  #renewMs({ wantedPermits, worker }: Member, nowMs: number): number {
    const availablePermits = this.availablePermits(nowMs);
    const alive = this.#aliveMembers(nowMs);
    const isAlone = alive.every((member) => member.worker === worker);
    // The interval grows with the number of workers, which bounds the total rate of lease requests.
    const tightMs = Math.max(renewIntervalsMs.contended, alive.length * renewIntervalsMs.perWorker);
    if (availablePermits === null)
      return isAlone || wantedPermits === 0 ? renewIntervalsMs.working : tightMs;
    const { shares, isContended } = this.#dividePermits(availablePermits, nowMs);
    if (!isContended) return wantedPermits > 0 ? renewIntervalsMs.working : renewIntervalsMs.idle;
    if (isAlone || wantedPermits === 0) return renewIntervalsMs.full;
    const isBalanced = alive.every(
      ({ worker: otherWorker, allotment }) =>
        Math.abs((allotment ?? 0) - (shares.get(otherWorker) ?? 0)) <= 2,
    );
    return isBalanced ? 2 * tightMs : tightMs;
  }

  #aliveMembers(nowMs: number): Member[] {
    return [...this.#members.values()].filter((member) => isMemberAlive(member, nowMs));
  }

  #othersOf({ worker }: Member): Member[] {
    return [...this.#members.values()].filter((member) => member.worker !== worker);
  }
}

/** True if the worker has not left and its lease has not expired. */
function isMemberAlive({ leaseEndMs, hasLeft }: Member, nowMs: number): boolean {
  return hasLeft === undefined && nowMs <= leaseEndMs;
}

/** Counts the permits that a worker may hold at most, because any of our last responses may not have reached it. */
function countCommitted(member: Member, nowMs: number): number {
  const { allotment, currentAllotment, heldPermits, leaseEndMs, hasLeft } = member;
  if (nowMs >= leaseEndMs + windowMs) return 0;
  return hasLeft
    ? countUnreturned(member, nowMs)
    : Math.max(allotment ?? 0, currentAllotment ?? 0, heldPermits);
}

/** Counts the reported permits that have not returned yet. Permits return as the requests that used them age. */
function countUnreturned(member: Member, nowMs: number): number {
  return Math.min(member.heldPermits, requestsSince(member, nowMs - windowMs - responseSlackMs));
}

/** Returns the requests that a worker reported since a time. A bucket that started before this time counts in full. */
function requestsSince({ requestCounts, reportedAtMs }: Member, sinceMs: number): number {
  const counts = requestCounts.filter((_, part) => reportedAtMs - part * bucketMs > sinceMs);
  return sumOf(counts, (count) => count);
}

function sumOf<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + valueOf(item), 0);
}
