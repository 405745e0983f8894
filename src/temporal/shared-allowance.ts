// A worker's part of its key's allowance: asked for at the workflow that shares it among all workers, and given to the
// budget of this process.
import type { RateBudget } from '../api/budget.ts';
import { clockWarning } from '../api/clock.ts';
import type { RateHeaders } from '../api/retry-after.ts';
import {
  type Lease,
  type LeaseRequest,
  type Refused,
  sentParts,
  shortestLeaseMs,
} from '../plan/allowance-contract.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';
import type { AllowanceWorkflow } from './allowance-workflow.ts';
import { isUnreadable } from './codec/codec-errors.ts';

export interface SharedAllowanceOptions {
  workflow: Pick<AllowanceWorkflow, 'lease' | 'leave'>;
  budget: RateBudget;
  /** Names this process, for people. */
  identity: string;
  /** By how much the machine's clock is ahead of the platform's, ms. */
  clockAheadMs: () => number;
  /** Told when workers begin or cease to share. */
  onSharing?: ((state: Sharing) => void) | undefined;
}

export interface Sharing {
  shared: boolean;
  /** Why not; empty while they do. */
  reason: string;
}

/** How often the need of this process is looked at. */
const lookEveryMs = 250;
/** A worker that was not given more asks no sooner than this. */
const askAgainMs = 2_500;
const tryAgainMs = 2_000;
/** Questions in vain before people are told. */
const saidAfter = 3;
/** Part of the allowance that a worker sends while nobody shares it out. */
const safeShare = 0.1;
/** Places beyond those in use that a worker asks for, as a part of the allowance. */
const growthShare = 0.01;
/** Places beyond those in use that a worker keeps which is about to stop, as a part of the allowance. */
const retiringShare = 0.05;

export class SharedAllowance {
  readonly #options: SharedAllowanceOptions;
  /** As the settings say. */
  readonly #configured: number | undefined;
  #lease: Lease | null = null;
  #leasedAtMs = 0;
  #leaseEndsMs = 0;
  #askAtMs = 0;
  /** Who was given more a moment ago, and needs yet more, need not wait. */
  #patienceMs = 0;
  /** A refusal that the workflow has not heard of. */
  #refused: { atMs: number; rate: RateHeaders } | undefined;
  #turn = 0;
  #isShared: boolean | null = null;
  #inVain = 0;
  #isRetiring = false;
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> = Promise.resolve();
  #isAsking = false;

  constructor(options: SharedAllowanceOptions) {
    this.#options = options;
    this.#configured = options.budget.limit;
  }

  start(): void {
    // Before the first answer nobody knows how many others there are.
    this.#sendSafely();
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
    this.#look();
  }

  /** Gives back what this process does not use. Its requests go on in what is left. Takes two seconds at most. */
  async retire(): Promise<void> {
    if (this.#lease?.allotment == null) return;
    this.#isRetiring = true;
    await atMost(this.#asking);
    this.#shrink();
    await atMost(this.#ask());
  }

  /** Says goodbye. The budget is this process's own again. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await atMost(this.#asking);
    const { budget, identity, workflow } = this.#options;
    if (this.#lease !== null) {
      const { holds, sent } = budget.demand(sentParts);
      this.#turn += 1;
      const goodbye = { worker: identity, turn: this.#turn, holds, sent };
      await workflow.leave(goodbye).catch(() => undefined);
    }
    budget.allot(undefined);
  }

  #look(): void {
    const nowMs = performance.now();
    if (this.#isOver()) this.#sendSafely();
    if (this.#isAsking || (nowMs < this.#askAtMs && !this.#needsMore(nowMs))) return;
    this.#asking = this.#ask();
  }

  #isOver(): boolean {
    return this.#lease !== null && performance.now() > this.#leaseEndsMs;
  }

  /** Something has changed that does not wait until the next question is due. */
  #needsMore(nowMs: number): boolean {
    const { budget } = this.#options;
    if (budget.wasRefused) return true;
    if (this.#lease?.allotment == null || this.#lease.limit === null) return false;
    if (nowMs - this.#leasedAtMs < this.#patienceMs) return false;
    const { allotment, limit } = this.#lease;
    const { holds, waiting } = budget.demand(sentParts);
    return holds + waiting > 0.7 * allotment && allotment < 0.95 * limit;
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    const askedAtMs = performance.now();
    const had = this.#lease?.allotment ?? null;
    try {
      const lease = await this.#options.workflow.lease(this.#request());
      this.#lease = lease;
      this.#refused = undefined;
      // From when it was asked: by then the answer was not yet given.
      this.#leasedAtMs = askedAtMs;
      this.#leaseEndsMs = askedAtMs + lease.leaseMs;
      this.#askAtMs = askedAtMs + lease.renewMs * (0.9 + 0.2 * Math.random());
      const isMore = lease.allotment !== null && lease.allotment > (had ?? 0);
      this.#patienceMs = isMore ? lookEveryMs : askAgainMs;
      this.#obey(lease);
      this.#inVain = 0;
      this.#tell(true, '');
    } catch (error) {
      this.#askAtMs = performance.now() + tryAgainMs * (0.5 + Math.random());
      this.#leaseEndsMs = Math.min(this.#leaseEndsMs, askedAtMs + shortestLeaseMs);
      // It may never be shared, as with workers or a server of older versions.
      if (this.#lease === null) this.#options.budget.allot(undefined);
      this.#inVain += 1;
      // The first question may come before any worker takes up the workflow that answers; what is encrypted stays so.
      const isLasting = this.#lease === null || isUnreadable(error);
      if (isLasting && this.#inVain >= saidAfter) this.#tell(false, reasonOf(error));
    } finally {
      this.#isAsking = false;
    }
  }

  #request(): LeaseRequest {
    const { budget, identity, clockAheadMs } = this.#options;
    const aheadMs = clockAheadMs();
    const { holds, waiting, sent } = budget.demand(sentParts);
    const refusal = budget.takeRefusal();
    if (refusal) {
      this.#refused ??= { atMs: performance.now() - refusal.agoMs, rate: refusal.rate };
    }
    this.#turn += 1;
    return {
      worker: identity,
      turn: this.#turn,
      obeys: this.#isOver() ? 0 : (this.#lease?.allotment ?? null),
      holds,
      wants: this.#isRetiring
        ? holds + waiting
        : placesWanted(holds, waiting, this.#lease?.limit ?? 0),
      sent,
      ...withoutUndefined({
        limit: this.#configured,
        refused: this.#refused && toldOf(this.#refused),
        clockAheadMs: clockWarning(aheadMs) === null ? undefined : aheadMs,
      }),
    };
  }

  #obey({ allotment, limit, elsewhere, holdMs }: Lease): void {
    const places = allotment ?? undefined;
    this.#options.budget.allot({ places, limit: limit ?? undefined, elsewhere, holdMs });
  }

  /** Nobody shares the allowance out now: each worker sends a little. */
  #sendSafely(): void {
    const limit = this.#lease?.limit ?? this.#configured;
    // Where nobody knows the allowance there is no part of it, and a worker that begins waits for its first answer.
    if (limit === undefined && this.#lease) return;
    const places = Math.max(1, Math.floor((limit ?? 0) * safeShare));
    if (this.#lease) this.#lease = { ...this.#lease, allotment: places };
    const elsewhere = this.#lease?.elsewhere ?? 0;
    this.#options.budget.allot({ places, limit, elsewhere });
  }

  #shrink(): void {
    if (this.#lease?.allotment == null) return;
    const { holds } = this.#options.budget.demand(sentParts);
    const spare = Math.max(1, Math.ceil((this.#lease.limit ?? 0) * retiringShare));
    const allotment = Math.min(this.#lease.allotment, holds + spare);
    this.#lease = { ...this.#lease, allotment };
    this.#obey({ ...this.#lease, holdMs: 0 });
  }

  #tell(shared: boolean, reason: string): void {
    if (this.#isShared === shared) return;
    this.#isShared = shared;
    this.#options.onSharing?.({ shared, reason });
  }
}

/** The SDK's errors may say nothing of their own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isUnreadable(error)) return `${error.message} ${error.fix.replaceAll('\n', ' ')}`;
  return error.message || (error.cause === undefined ? error.name : reasonOf(error.cause));
}

/** More than now: work that has to wait would be more if it had not, and what grows is not to stop at once. */
function placesWanted(holds: number, waiting: number, limit: number): number {
  const inUse = holds + waiting;
  if (inUse === 0) return 0;
  return (waiting > 0 ? 2 * inUse + 4 * waiting : inUse) + Math.ceil(growthShare * limit);
}

function toldOf({ atMs, rate }: { atMs: number; rate: RateHeaders }): Refused {
  const { limit, retryAfterMs, resetInMs = retryAfterMs } = rate;
  return { agoMs: performance.now() - atMs, ...withoutUndefined({ limit, resetInMs }) };
}

/** Waits for it, but no longer than a second. */
function atMost(work: Promise<void>): Promise<void> {
  const second = new Promise<void>((resolve) => setTimeout(resolve, 1_000).unref());
  return Promise.race([work, second]);
}
