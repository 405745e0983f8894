// The rate budget of an API key. It decides which request may be sent now and how long the others wait.
import { createHash } from 'node:crypto';
import { callOnAbort } from '../abort.ts';
import { readMonotonicMs } from '../clock.ts';
import { BudgetWaitError } from '../errors/errors.ts';
import { clampDelayMs, type RateHeaders } from '../errors/retry-after.ts';
import { type Allotment, RateWindow } from './rate-window.ts';
import { type Priority, RequestQueue } from './request-queue.ts';

/** The clock of the budget. Tests provide their own clock. */
export interface BudgetClock {
  /** Returns monotonic time in ms. */
  now(): number;
  /** Calls back once after `delayMs`. Returns a function that cancels. */
  after(delayMs: number, callback: () => void): () => void;
}

const systemClock: BudgetClock = {
  // The clock is monotonic, because the wall clock may be set during a window.
  now: readMonotonicMs,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

export interface BudgetOptions {
  /** Number of requests per window, if known beforehand. */
  limit?: number | undefined;
  /** Length of the rate-limit window. @default 60_000 */
  windowMs?: number | undefined;
  clock?: BudgetClock;
  random?: () => number;
}

export interface AcquireOptions {
  /** @default 'create' */
  priority?: Priority | undefined;
  signal?: AbortSignal | undefined;
  /** Maximum wait, after which BudgetWaitError is thrown. @default 600_000 */
  maxWaitMs?: number | undefined;
}

/** Releases a permit. Pass `isCounted: false` if the request certainly never reached the platform. */
export type Release = (isCounted?: boolean) => void;

export interface BudgetSnapshot {
  waiting: Record<Priority, number>;
  inFlight: number;
  spent: number;
  limit: number | undefined;
}

/** How long after an urgent request more urgent requests are expected, in ms. */
const urgentForMs = 300_000;
/** Maximum number of requests in flight, before and after the allowance is known. */
const maxInFlight = { unknown: 8, known: 48 };

export class RateBudget {
  #window: RateWindow;
  /** Functions that grant a permit to a waiting request. */
  #queue = new RequestQueue<() => void>();
  #clock: BudgetClock;
  #random: () => number;
  #cancelTimer: (() => void) | undefined;
  #lastUrgentAtMs = Number.NEGATIVE_INFINITY;
  /** Time of the last urgent request that soon followed another. A starting worker sends only one. */
  #repeatedUrgentAtMs = Number.NEGATIVE_INFINITY;
  #refusal: { atMs: number; rate: RateHeaders } | undefined;

  constructor(options: BudgetOptions = {}) {
    this.#window = new RateWindow(options.windowMs ?? 60_000, options.limit);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
  }

  get limit(): number | undefined {
    return this.#window.limit;
  }

  /** Sets this process's share of the allowance, or undefined for all of it. Sends nothing for `blockedForMs`. */
  allot(allotment: (Allotment & { blockedForMs?: number }) | undefined): void {
    this.#window.allotment = allotment;
    if (allotment?.blockedForMs) this.#window.block(this.#clock.now(), allotment.blockedForMs);
    this.#pump();
  }

  /**
   * Returns how this process uses its part of the allowance.
   * @returns `sent`: requests started in each of the `parts` parts of the last window, latest part first
   */
  demand(parts: number) {
    const now = this.#clock.now();
    return {
      permitsHeld: this.#window.countUsedPermits(now),
      waiting: this.#queue.length,
      sent: this.#window.countStarted(now, parts),
    };
  }

  /** True if the platform has refused a request since the last `takeRefusal`. */
  get wasRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Returns the first refusal since the last `takeRefusal`, and forgets it. */
  takeRefusal(): { agoMs: number; rate: RateHeaders } | undefined {
    const refusal = this.#refusal;
    this.#refusal = undefined;
    return refusal && { agoMs: this.#clock.now() - refusal.atMs, rate: refusal.rate };
  }

  /** Waits for a permit to send one request. The permit must be released when the request has ended. */
  acquire(options: AcquireOptions = {}): Promise<Release> {
    const { priority = 'create', signal, maxWaitMs = 600_000 } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const startedAtMs = this.#clock.now();
      const stopListening = () => {
        cancelTimeout();
        removeAbortListener();
      };
      const grant = () => {
        stopListening();
        resolve(this.#take());
      };
      const giveUp = (reasonOf: () => unknown) => {
        stopListening();
        this.#queue.remove(priority, grant);
        reject(reasonOf());
        this.#pump();
      };
      const cancelTimeout = this.#clock.after(maxWaitMs, () =>
        giveUp(() => {
          const waitMs = this.#clock.now() - startedAtMs;
          return new BudgetWaitError(waitMs, clampDelayMs(this.expectedWaitMs()));
        }),
      );
      const removeAbortListener = callOnAbort(signal, () => giveUp(() => signal?.reason));
      if (priority === 'interactive') this.#recordUrgent(startedAtMs);
      this.#queue.push(priority, grant);
      this.#pump();
    });
  }

  /** Handles a 429. All requests of this process with the API key wait for the requested delay plus some jitter. */
  onRateLimited(rate: RateHeaders): void {
    this.#window.learnLimit(rate.limit);
    this.#refusal ??= { atMs: this.#clock.now(), rate };
    const demandedMs = Math.max(rate.retryAfterMs ?? 0, rate.resetInMs ?? 0);
    // Without headers, the delay is a sixth of a window: long enough to help and short enough to probe.
    const delayMs = clampDelayMs(demandedMs > 0 ? demandedMs : this.#window.windowMs / 6);
    const jitterMs = this.#random() * 0.05 * this.#window.windowMs;
    this.#window.block(this.#clock.now(), delayMs + jitterMs);
    this.#pump();
  }

  /** Uses the rate headers of a response other than 429, if present. The platform does not promise them. */
  onRateHeaders(rate: RateHeaders): void {
    this.#window.learnLimit(rate.limit);
    if (rate.remaining !== 0 || rate.resetInMs === undefined) return;
    this.#window.block(this.#clock.now(), clampDelayMs(rate.resetInMs));
  }

  /** True while requests wait because the platform has refused others, or has reported that the allowance is spent. */
  get isHeldByPlatform(): boolean {
    return this.#queue.length > 0 && this.#window.isBlocked(this.#clock.now());
  }

  /** Returns the share of the allowance that all processes have spent, 0 to 1. 0 while unknown, 1 during a block. */
  pressure(): number {
    return this.#window.pressure(this.#clock.now());
  }

  /** Returns how long a request queued now is expected to wait, in ms, without spacing. 0 if a permit is free. */
  expectedWaitMs(): number {
    const now = this.#clock.now();
    return this.#window.nextFreeAtMs(now, this.#queue.length + 1) - now;
  }

  snapshot(): BudgetSnapshot {
    const { inFlight, limit } = this.#window;
    const spent = this.#window.countUsedPermits(this.#clock.now());
    return { waiting: this.#queue.waiting(), inFlight, spent, limit };
  }

  #recordUrgent(nowMs: number): void {
    if (nowMs - this.#lastUrgentAtMs < urgentForMs) this.#repeatedUrgentAtMs = nowMs;
    this.#lastUrgentAtMs = nowMs;
  }

  #take(): Release {
    this.#window.start(this.#clock.now());
    let isHeld = true;
    return (isCounted = true) => {
      if (!isHeld) return;
      isHeld = false;
      this.#window.end(this.#clock.now(), isCounted);
      this.#pump();
    };
  }

  #pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#queue.length > 0) {
      const cap = this.#window.limit === undefined ? maxInFlight.unknown : maxInFlight.known;
      // No timer is needed, because the next release of a permit calls `#pump` again.
      if (this.#window.inFlight >= cap) return;
      const now = this.#clock.now();
      const freeAtMs = this.#window.nextFreeAtMs(now);
      const isUrgent = this.#queue.waiting().interactive > 0;
      const hasRecentUrgent = now - this.#repeatedUrgentAtMs < urgentForMs;
      const pacedAtMs = isUrgent ? now : this.#window.nextPacedAtMs(now, hasRecentUrgent);
      const nextAtMs = Math.max(freeAtMs, pacedAtMs);
      if (nextAtMs > now) {
        this.#cancelTimer = this.#clock.after(Math.ceil(nextAtMs - now), () => this.#pump());
        return;
      }
      this.#queue.next()?.();
    }
  }
}

/** State of the rate budget that polls depend on. */
export interface PollBudget {
  /** Returns the share of the allowance that is spent, 0 to 1. */
  pressure(): number;
  readonly limit: number | undefined;
}

/** Keeps the poll interval of urgent runs short when the budget is tight, because urgent runs have few assets. */
const maxUrgentPressure = 0.6;

/** Returns the rate budget as polls of urgent runs see it, with a pressure of at most `maxUrgentPressure`. */
export function toUrgentPollBudget(pollBudget: PollBudget): PollBudget {
  return {
    pressure: () => Math.min(maxUrgentPressure, pollBudget.pressure()),
    get limit() {
      return pollBudget.limit;
    },
  };
}

const budgets = new Map<string, RateBudget>();

/** Returns this process's budget for a platform address and an API key. The options of the first call apply. */
export function getSharedBudget(
  baseUrl: string,
  apiKey: string,
  options?: BudgetOptions,
): RateBudget {
  const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
  const budget = budgets.get(name) ?? new RateBudget(options);
  budgets.set(name, budget);
  return budget;
}
