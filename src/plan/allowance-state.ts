// Who may hold how many places of a key's allowance. Pure: every method is given the time.
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

/** How soon a worker asks again: in need of each other's places (and so long for each worker), beside others, alone with all places in use, at work, idle. */
const renewMs = {
  tight: 2_500,
  each: 300,
  beside: 10_000,
  full: 15_000,
  working: 30_000,
  idle: 60_000,
};
/** Of places that come back to a worker that has too many, it may use about half until it asks again. */
const keptShare = 0.98;
/** A limit that the platform told is learned anew after so long, since it may have been raised. */
const learnedForMs = 24 * 3_600_000;
/** Workers whose places nobody remembers tell of them within this time. */
const quietMs = 65_000;
/** Workers that nobody could answer tell of themselves within this time, once somebody can. */
const backMs = 5_000;
const partMs = windowMs / sentParts;
/** A place comes back a window after the answer; few answers take longer than this. */
const answersMs = 2_000;
/** Members that are remembered; far more than one key has workers. */
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
    // A question that arrives late must not undo what a later one has told.
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
      // Beside others one asks sooner than its lease demands: what one has too many another may need.
      renewMs: isBeside ? Math.min(renew, renewMs.beside) : renew,
      // An answer that takes its time, or a question that is lost, costs no lease.
      leaseMs: Math.max(shortestLeaseMs, renew * 1.5 + 8_000),
    };
  }

  leave({ worker, turn, holds, sent }: LeaveRequest, nowMs: number): void {
    const member = this.#members.get(worker);
    if (!member || turn <= member.turn) return;
    const ended = { told: 0, obeys: 0, wants: 0, leaseEndMs: nowMs, left: true } as const;
    this.#members.set(worker, { ...member, ...ended, turn, holds, sent, atMs: nowMs });
  }

  /** Requests that our workers may send in a window; null while the allowance is not known. */
  places(nowMs: number): number | null {
    const limit = this.limit(nowMs);
    return limit === null ? null : limit - takenByOthers(this.#others, limit, nowMs);
  }

  /** What the platform, or else the workers' settings, say. */
  limit(nowMs: number): number | null {
    const known = this.#limit;
    if (known === null) return null;
    return known.told && nowMs - known.atMs > learnedForMs ? null : known.value;
  }

  /** Workers, and those that are gone whose places have not come back yet. */
  members(nowMs: number): (Member & { alive: boolean; places: number })[] {
    return [...this.#members.values()].map((member) => ({
      ...member,
      alive: isAlive(member, nowMs),
      places: committed(member, nowMs),
    }));
  }

  /** Workers whose machine's clock is wrong. */
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
    // Somebody has ended the workflow before this one, whose workers go on.
    const isOfBefore = !known && (obeys ?? 0) > 0 && nowMs - this.#bornMs < quietMs;
    if (isOfBefore) this.#quietUntilMs = this.#bornMs + quietMs;
    // Its lease ran out so long ago that nobody remembers it, so others may send a little, too, and have not told of it yet.
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
    // Many requests are refused in one window of the platform, which tell the same.
    const isSameWindow = atMs < this.#heldUntilMs;
    if (resetInMs === undefined || isSameWindow) return;
    this.#heldUntilMs = atMs + Math.min(resetInMs, 2 * windowMs);
    const limit = this.limit(nowMs);
    if (limit === null) return;
    const elapsedMs = Math.max(0, windowMs - resetInMs);
    const ours = this.#sentSince(atMs - elapsedMs);
    this.#others = noteShortfall(this.#others, { limit, ours, elapsedMs }, nowMs);
  }

  /** Requests of all workers since then, as they have told; a part of a window counts as a whole one. */
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
    // One that has too many goes on with a part of what comes back, so that nothing of it stands still.
    const kept = free < 0 ? 0 : Math.min(has, Math.floor(holds * keptShare));
    const wished = Math.max(share, kept);
    // A workflow that began anew does not know yet what other workers hold.
    const most = nowMs < this.#quietUntilMs ? has : free;
    return Math.max(0, Math.min(wished, has), Math.min(wished, most, free));
  }

  #divide(places: number, nowMs: number) {
    const alive = this.#alive(nowMs);
    const claimants = alive.map(({ worker, wants, told, sinceMs }) => {
      return { worker, wants, has: told !== null && told > 0, sinceMs };
    });
    // Places of the dead are nobody's yet.
    const gone = [...this.#members.values()].filter((member) => !isAlive(member, nowMs));
    const taken = gone.reduce((sum, member) => sum + committed(member, nowMs), 0);
    return divide(places - taken, claimants);
  }

  #renewMs({ wants, worker }: Member, nowMs: number): number {
    const places = this.places(nowMs);
    const alive = this.#alive(nowMs);
    const isAlone = alive.every((member) => member.worker === worker);
    // Many workers ask no more often together than a few.
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

/** A worker that is late by less than this is not taken for dead. */
function isAlive({ leaseEndMs, left }: Member, nowMs: number): boolean {
  return left === undefined && nowMs <= leaseEndMs;
}

/** Places that a worker may hold, whatever of our answers has reached it. */
function committed(member: Member, nowMs: number): number {
  const { told, obeys, holds, leaseEndMs, left } = member;
  if (nowMs >= leaseEndMs + windowMs) return 0;
  return left ? notYetBack(member, nowMs) : Math.max(told ?? 0, obeys ?? 0, holds);
}

/** Places that a worker still has of those that it told of: they come back as its requests grow old. */
function notYetBack({ holds, sent, atMs }: Member, nowMs: number): number {
  const held = sent.filter((_, part) => nowMs < atMs - part * partMs + windowMs + answersMs);
  return Math.min(
    holds,
    held.reduce((sum, requests) => sum + requests, 0),
  );
}
