// Decides how many permits of a key's rate limit each worker may hold. Pure: every method gets the time.
import {
  type AllowanceCarried,
  type Lease,
  type LeaseRequest,
  type LeaveRequest,
  type Member,
  type Refused,
  sentParts,
  shortestLeaseMs,
  type WrongClock,
  windowMs,
} from './allowance-contract.ts';
import { nobodyElse, noteShortfall, takenByOthers } from './allowance-others.ts';
import { divide } from './allowance-shares.ts';

/**
 * How soon a worker asks again: when workers compete (and this long per worker), when it shares the key, alone with
 * all permits in use, working, idle.
 */
const renewMs = {
  tight: 2_500,
  each: 300,
  beside: 10_000,
  full: 15_000,
  working: 30_000,
  idle: 60_000,
};
/** A worker with too many permits may reuse about half of those that return until it asks again. */
const keptShare = 0.98;
/** A limit learned from the platform expires after this time, since it may have been raised. */
const learnedForMs = 24 * 3_600_000;
/** Workers of a previous workflow report their permits within this time. */
const quietMs = 65_000;
/** Workers that got no response for a while report within this time once the workflow responds again. */
const backMs = 5_000;
const partMs = windowMs / sentParts;
/** A permit returns one window after the response; few responses take longer than this. */
const answersMs = 2_000;
/** Limit for remembered members; far more than one key has workers. */
const membersAtMost = 500;

export class AllowanceState {
  readonly #bornMs: number;
  #quietUntilMs: number;
  #limit: AllowanceCarried['limit'];
  #heldUntilMs: number;
  #others: AllowanceCarried['others'];
  readonly #members: Map<string, Member>;

  constructor(nowMs: number, carried?: AllowanceCarried) {
    this.#bornMs = carried?.bornMs ?? nowMs;
    this.#quietUntilMs = carried?.quietUntilMs ?? nowMs;
    this.#limit = carried?.limit ?? null;
    this.#heldUntilMs = carried?.heldUntilMs ?? nowMs - windowMs;
    this.#others = carried?.others ?? nobodyElse;
    this.#members = new Map(carried?.members.map((member) => [member.worker, member]));
  }

  carried(): AllowanceCarried {
    return {
      bornMs: this.#bornMs,
      quietUntilMs: this.#quietUntilMs,
      limit: this.#limit,
      heldUntilMs: this.#heldUntilMs,
      others: this.#others,
      members: [...this.#members.values()],
    };
  }

  lease(request: LeaseRequest, nowMs: number): Lease {
    this.#forget(nowMs);
    const known = this.#members.get(request.worker);
    // A late request must not overwrite a newer one.
    if (known && request.turn <= known.turn) return this.#answer(known, nowMs);
    const member = this.#note(request, known, nowMs);
    this.#learn(request, nowMs);
    if (request.refused) this.#refuse(request.refused, nowMs);
    const places = this.places(nowMs);
    const told = places === null ? null : this.#allot(member, places, nowMs);
    if ((told === 0) !== (member.told === 0)) member.sinceMs = nowMs;
    member.told = told;
    const answer = this.#answer(member, nowMs);
    member.leaseEndMs = nowMs + answer.leaseMs;
    return answer;
  }

  #answer(member: Member, nowMs: number): Lease {
    const renew = this.#renewMs(member, nowMs);
    const limit = this.places(nowMs);
    const isBeside = limit !== null && member.wants > 0 && this.#alive(nowMs).length > 1;
    return {
      allotment: member.told,
      limit,
      elsewhere: this.#heldElsewhere(member, nowMs),
      holdMs: Math.max(0, this.#heldUntilMs - nowMs),
      // Workers that share a key ask sooner than their lease demands, since another may need the surplus.
      renewMs: isBeside ? Math.min(renew, renewMs.beside) : renew,
      // A slow response or one lost request costs no lease.
      leaseMs: Math.max(shortestLeaseMs, renew * 1.5 + 8_000),
    };
  }

  leave({ worker, turn, holds, sent }: LeaveRequest, nowMs: number): void {
    const member = this.#members.get(worker);
    if (!member || turn <= member.turn) return;
    const ended = { told: 0, obeys: 0, wants: 0, leaseEndMs: nowMs, left: true } as const;
    this.#members.set(worker, { ...member, ...ended, turn, holds, sent, atMs: nowMs });
  }

  /** Requests per window for our workers; null while the limit is unknown. */
  places(nowMs: number): number | null {
    const limit = this.limit(nowMs);
    return limit === null ? null : limit - takenByOthers(this.#others, limit, nowMs);
  }

  /** The limit from the platform, or else from the workers' settings. */
  limit(nowMs: number): number | null {
    const known = this.#limit;
    if (known === null) return null;
    return known.told && nowMs - known.atMs > learnedForMs ? null : known.value;
  }

  /** Workers, and workers that have left but whose permits have not returned. */
  members(nowMs: number): (Member & { alive: boolean; places: number })[] {
    return [...this.#members.values()].map((member) => ({
      ...member,
      alive: isAlive(member, nowMs),
      places: committed(member, nowMs),
    }));
  }

  /** Workers whose machine has a wrong clock. */
  wrongClocks(nowMs: number): WrongClock[] {
    return this.#alive(nowMs).flatMap(({ worker, clockAheadMs: aheadMs }) =>
      aheadMs === undefined ? [] : { worker, aheadMs },
    );
  }

  #forget(nowMs: number): void {
    for (const [worker, { leaseEndMs }] of this.#members) {
      if (leaseEndMs + windowMs <= nowMs) this.#members.delete(worker);
    }
  }

  #note(request: LeaseRequest, known: Member | undefined, nowMs: number): Member {
    const { worker, turn, obeys, holds, wants, sent } = request;
    // The workflow before this one was terminated while its workers kept running.
    const isOfBefore = !known && (obeys ?? 0) > 0 && nowMs - this.#bornMs < quietMs;
    if (isOfBefore) this.#quietUntilMs = this.#bornMs + quietMs;
    // The lease of this worker expired long ago, so other unknown workers may be sending a little as well.
    if (!known && obeys === 0) this.#quietUntilMs = Math.max(this.#quietUntilMs, nowMs + backMs);
    const { clockAheadMs } = request;
    const clock = clockAheadMs === undefined ? {} : { clockAheadMs };
    const parts = sent.slice(0, sentParts);
    const said = { worker, turn, obeys, holds, wants, sent: parts, atMs: nowMs, ...clock };
    const { told: before, sinceMs } = known ?? { told: obeys, sinceMs: nowMs };
    const member: Member = { ...said, told: before, sinceMs, leaseEndMs: nowMs };
    if (known || this.#members.size < membersAtMost) this.#members.set(worker, member);
    return member;
  }

  #learn({ limit, refused }: LeaseRequest, nowMs: number): void {
    const told = refused?.limit;
    if (told !== undefined) this.#limit = { value: told, told: true, atMs: nowMs };
    else if (limit !== undefined && (this.limit(nowMs) === null || this.#limit?.told === false)) {
      this.#limit = { value: limit, told: false, atMs: nowMs };
    }
  }

  #refuse({ agoMs, resetInMs }: Refused, nowMs: number): void {
    const atMs = nowMs - agoMs;
    // One window of the platform can refuse many requests, all for the same reason.
    const isSameWindow = atMs < this.#heldUntilMs;
    if (resetInMs === undefined || isSameWindow) return;
    this.#heldUntilMs = atMs + Math.min(resetInMs, 2 * windowMs);
    const limit = this.limit(nowMs);
    if (limit === null) return;
    const elapsedMs = Math.max(0, windowMs - resetInMs);
    const ours = this.#sentSince(atMs - elapsedMs);
    this.#others = noteShortfall(this.#others, { limit, ours, elapsedMs }, nowMs);
  }

  /** Reported requests of all workers since a time. A part of a window counts in full. */
  #sentSince(sinceMs: number): number {
    let count = 0;
    for (const { sent, atMs } of this.#members.values()) {
      for (const [part, requests] of sent.entries()) {
        if (atMs - part * partMs > sinceMs) count += requests;
      }
    }
    return count;
  }

  #allot(member: Member, places: number, nowMs: number): number {
    const { shares } = this.#divide(places, nowMs);
    const share = shares.get(member.worker) ?? 0;
    const others = [...this.#members.values()].filter(({ worker }) => worker !== member.worker);
    const free = places - others.reduce((sum, other) => sum + committed(other, nowMs), 0);
    const { obeys, holds } = member;
    const has = obeys ?? 0;
    // A worker with too many permits reuses some of those that return, so that it does not stop completely.
    const kept = free < 0 ? 0 : Math.min(has, Math.floor(holds * keptShare));
    const wished = Math.max(share, kept);
    // A new workflow does not know yet which permits other workers hold.
    const most = nowMs < this.#quietUntilMs ? has : free;
    return Math.max(0, Math.min(wished, has), Math.min(wished, most, free));
  }

  #divide(places: number, nowMs: number) {
    const alive = this.#alive(nowMs);
    const claimants = alive.map(({ worker, wants, told, sinceMs }) => {
      return { worker, wants, has: told !== null && told > 0, sinceMs };
    });
    // Permits of workers that have left are not available yet.
    const gone = [...this.#members.values()].filter((member) => !isAlive(member, nowMs));
    const taken = gone.reduce((sum, member) => sum + committed(member, nowMs), 0);
    return divide(places - taken, claimants);
  }

  #renewMs({ wants, worker }: Member, nowMs: number): number {
    const places = this.places(nowMs);
    const alive = this.#alive(nowMs);
    const isAlone = alive.every((member) => member.worker === worker);
    // Many workers together ask no more often than a few.
    const tightMs = Math.max(renewMs.tight, alive.length * renewMs.each);
    if (places === null) return isAlone || wants === 0 ? renewMs.working : tightMs;
    const { shares, isTight } = this.#divide(places, nowMs);
    if (!isTight) return wants > 0 ? renewMs.working : renewMs.idle;
    if (isAlone || wants === 0) return renewMs.full;
    const isSettled = alive.every(
      ({ worker: one, told }) => Math.abs((told ?? 0) - (shares.get(one) ?? 0)) <= 2,
    );
    return isSettled ? 2 * tightMs : tightMs;
  }

  #alive(nowMs: number): Member[] {
    return [...this.#members.values()].filter((member) => isAlive(member, nowMs));
  }

  #heldElsewhere({ worker }: Member, nowMs: number): number {
    const others = [...this.#members.values()].filter((member) => member.worker !== worker);
    return others.reduce((sum, member) => sum + notYetBack(member, nowMs), 0);
  }
}

/** A worker whose lease has not expired counts as alive. */
function isAlive({ leaseEndMs, left }: Member, nowMs: number): boolean {
  return left === undefined && nowMs <= leaseEndMs;
}

/** Permits that a worker may be holding, whichever of our responses have reached it. */
function committed(member: Member, nowMs: number): number {
  const { told, obeys, holds, leaseEndMs, left } = member;
  if (nowMs >= leaseEndMs + windowMs) return 0;
  return left ? notYetBack(member, nowMs) : Math.max(told ?? 0, obeys ?? 0, holds);
}

/** Permits that a worker still holds of those that it reported. They return as its requests age. */
function notYetBack({ holds, sent, atMs }: Member, nowMs: number): number {
  const held = sent.filter((_, part) => nowMs < atMs - part * partMs + windowMs + answersMs);
  return Math.min(
    holds,
    held.reduce((sum, requests) => sum + requests, 0),
  );
}
