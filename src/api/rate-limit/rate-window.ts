// Counts how much of the rate allowance is spent. Pure: the time is passed to each method.

/** The part of an allowance, shared by several processes, that one process may use. */
export interface Allotment {
  /** Number of permits that the process may hold at a time. Undefined if the allowance is unknown. */
  permits: number | undefined;
  /** Number of requests per window of all processes together. */
  limit: number | undefined;
  /** Number of permits held by the other processes. */
  heldByOthers: number;
}

/**
 * Requests are spaced once this share of the allowance is spent, and, if urgent work is expected or the allotment is
 * small, this share of the allotment.
 */
const unpacedShare = 0.5;
/** Share of a large allotment. Unless urgent work is expected, spacing starts only once this share or less is free. */
const reservedShare = 0.07;
/**
 * An allotment with at least this many permits keeps one free for the first urgent request. In a smaller one, keeping a
 * permit free would slow the other requests too much.
 */
const largeAllotment = 50;

/**
 * Requests of one API key in a sliding window. A request holds its permit from before it is sent until a full window
 * after it has ended, so the permit covers the request whenever the platform counts it.
 */
export class RateWindow {
  readonly windowMs: number;
  #endTimesMs: number[] = [];
  /** Start times of the requests in the last window, oldest first. */
  #startTimesMs: number[] = [];
  /** The part of the allowance that this process may use. Undefined if the process has the whole allowance. */
  allotment: Allotment | undefined;
  #inFlight = 0;
  #limit: number | undefined;
  #blockedUntilMs = 0;

  constructor(windowMs: number, limit?: number) {
    this.windowMs = windowMs;
    this.#limit = limit;
  }

  get limit(): number | undefined {
    return this.allotment ? this.allotment.limit : this.#limit;
  }

  /** Number of permits of this process. Undefined until it is known. */
  get permits(): number | undefined {
    return this.allotment ? this.allotment.permits : this.#limit;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  learnLimit(limit = this.#limit): void {
    this.#limit = limit;
  }

  /** Returns the share of the whole allowance that is spent, 0 to 1. 0 while unknown, 1 while requests are blocked. */
  pressure(nowMs: number): number {
    if (this.isBlocked(nowMs)) return 1;
    if (this.limit === undefined) return 0;
    const heldByOthers = this.allotment?.heldByOthers ?? 0;
    return Math.min(1, (this.countUsedPermits(nowMs) + heldByOthers) / Math.max(1, this.limit));
  }

  /** Counts the requests started in each of the last `parts` parts of a window, latest part first. */
  countStarted(nowMs: number, parts: number): number[] {
    const counts = Array.from({ length: parts }, () => 0);
    for (const atMs of this.#startTimesMs) {
      const part = Math.floor(((nowMs - atMs) * parts) / this.windowMs);
      if (part < parts) counts[part] = (counts[part] ?? 0) + 1;
    }
    return counts;
  }

  /**
   * Returns the earliest time for a request that is not urgent. Without spacing, all permits would be used at once and
   * become free together one window later, and urgent requests in between would find none.
   * @param hasRecentUrgent true if there were urgent requests recently
   */
  nextPacedAtMs(nowMs: number, hasRecentUrgent: boolean): number {
    const { permits } = this.allotment ?? {};
    const last = this.#startTimesMs.at(-1);
    if (permits === undefined || last === undefined) return nowMs;
    const freePermits = permits - this.countUsedPermits(nowMs);
    const share = hasRecentUrgent || permits < largeAllotment ? unpacedShare : reservedShare;
    if (freePermits > share * permits || this.pressure(nowMs) < unpacedShare) return nowMs;
    return Math.max(nowMs, last + this.#spacingMs(nowMs, freePermits));
  }

  /** Returns the minimum interval between requests, in ms, at which permits last until used ones are returned. */
  #spacingMs(nowMs: number, freePermits: number): number {
    // The end of requests in flight is unknown, so they are assumed to end together.
    const inUse = this.#endTimesMs.length + (this.#inFlight > 0 ? 1 : 0);
    const reserve = freePermits + inUse >= largeAllotment ? 1 : 0;
    let gapMs = 0;
    for (let index = 0; index < inUse; index += 1) {
      const freeInMs = (this.#endTimesMs[index] ?? nowMs) + this.windowMs - nowMs;
      // Interval = time divided by the permits usable until then: those free now or by then, minus the reserve.
      gapMs = Math.max(gapMs, freeInMs / Math.max(1, freePermits + index + 1 - reserve));
    }
    return gapMs;
  }

  countUsedPermits(nowMs: number): number {
    while (this.#endTimesMs[0] !== undefined && this.#endTimesMs[0] + this.windowMs <= nowMs) {
      this.#endTimesMs.shift();
    }
    return this.#endTimesMs.length + this.#inFlight;
  }

  start(nowMs: number): void {
    this.#inFlight += 1;
    this.#startTimesMs.push(nowMs);
    while (this.#startTimesMs[0] !== undefined && this.#startTimesMs[0] + this.windowMs <= nowMs) {
      this.#startTimesMs.shift();
    }
  }

  /** Ends a request. With `isCounted: false`, its permit is free at once, because the platform never received it. */
  end(nowMs: number, isCounted: boolean): void {
    this.#inFlight -= 1;
    if (isCounted) this.#endTimesMs.push(nowMs);
  }

  isBlocked(nowMs: number): boolean {
    return nowMs < this.#blockedUntilMs;
  }

  block(nowMs: number, delayMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + delayMs);
  }

  /**
   * Returns the earliest time, after a block, at which `requests` more requests fit, or `nowMs` if they fit already. A
   * permit held by a request in flight becomes free at an unknown time, so a full window is assumed.
   */
  nextFreeAtMs(nowMs: number, requests = 1): number {
    const earliest = Math.max(nowMs, this.#blockedUntilMs);
    const { permits } = this;
    if (permits === undefined) return earliest;
    const missingPermits = requests - (permits - this.countUsedPermits(nowMs));
    if (missingPermits <= 0) return earliest;
    const freeing = this.#endTimesMs[missingPermits - 1];
    if (freeing !== undefined) return Math.max(earliest, freeing + this.windowMs);
    return Math.max(
      earliest,
      nowMs + this.windowMs * Math.ceil(missingPermits / Math.max(1, permits)),
    );
  }
}
