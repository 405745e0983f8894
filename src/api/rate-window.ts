// Counts how much of the allowance is spent at a moment. Pure: every method is given the time.

/**
 * Requests of one key in a sliding window. A request holds its place from before it is sent until a full
 * window after it has ended: whenever in between the platform counted it, it is covered.
 */
export class RateWindow {
  readonly windowMs: number;
  /** Ends of finished requests, oldest first. */
  #ended: number[] = [];
  #inFlight = 0;
  #limit: number | undefined;
  /** Our part of the limit while others use the same key; grows again window by window. */
  #share: { base: number; sinceMs: number } | undefined;
  #blockedUntilMs = 0;
  #shortfalls = 0;

  constructor(windowMs: number, limit?: number) {
    this.windowMs = windowMs;
    this.#limit = limit;
  }

  get limit(): number | undefined {
    return this.#limit;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get blockedUntilMs(): number {
    return this.#blockedUntilMs;
  }

  learn(limit: number): void {
    this.#limit = limit;
  }

  spent(nowMs: number): number {
    while (this.#ended[0] !== undefined && this.#ended[0] + this.windowMs <= nowMs) {
      this.#ended.shift();
    }
    return this.#ended.length + this.#inFlight;
  }

  /** The limit, or our part of it; undefined until one is known. */
  allowance(nowMs: number): number | undefined {
    if (this.#limit === undefined || this.#share === undefined) return this.#limit;
    const windows = Math.max(0, Math.floor((nowMs - this.#share.sinceMs) / this.windowMs));
    const regained = windows * Math.max(1, Math.ceil(this.#limit * 0.1));
    return Math.min(this.#limit, this.#share.base + regained);
  }

  start(): void {
    this.#inFlight += 1;
  }

  /** `counted: false` gives the place back at once: the request never left. */
  end(nowMs: number, counted: boolean): void {
    this.#inFlight -= 1;
    if (counted) this.#ended.push(nowMs);
  }

  /** No request fits for `delayMs`; the platform refused none. */
  hold(nowMs: number, delayMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + delayMs);
  }

  /** The platform refused a request; none fits for `delayMs`. */
  block(nowMs: number, delayMs: number): void {
    const sameBurst = nowMs < this.#blockedUntilMs;
    this.hold(nowMs, delayMs);
    if (!sameBurst) this.#noteShortfall(nowMs);
  }

  /**
   * Earliest moment at which `place` more requests (1 = the next one) fit; `nowMs` when they do already.
   * A place held by a request in flight frees at an unknown time: a full window is assumed.
   */
  freeAt(nowMs: number, place = 1): number {
    const earliest = Math.max(nowMs, this.#blockedUntilMs);
    const allowance = this.allowance(nowMs);
    if (allowance === undefined) return earliest;
    const missing = place - (allowance - this.spent(nowMs));
    if (missing <= 0) return earliest;
    const freeing = this.#ended[missing - 1];
    if (freeing !== undefined) return Math.max(earliest, freeing + this.windowMs);
    return Math.max(earliest, nowMs + this.windowMs * Math.ceil(missing / allowance));
  }

  // One early 429 may come from requests of an earlier process; two in a row mean that others use the key too.
  #noteShortfall(nowMs: number): void {
    const used = this.spent(nowMs);
    const allowance = this.allowance(nowMs);
    if (this.#limit === undefined || allowance === undefined || used >= allowance) {
      this.#shortfalls = 0;
      return;
    }
    this.#shortfalls += 1;
    if (this.#shortfalls < 2) return;
    const floor = Math.max(1, Math.floor(this.#limit * 0.1));
    this.#share = { base: Math.max(floor, used - 1), sinceMs: this.#blockedUntilMs };
  }
}
