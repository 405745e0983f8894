// The fixed window of platform.md, section 8. It opens with the first request after the last one closed.

export interface Refusal {
  readonly retryAfterSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What one window let through and refused. */
export interface RateWindow {
  /** Epoch milliseconds of its first request. */
  readonly openedAt: number;
  used: number;
  refused: number;
}

/** Windows that are remembered: those of half a day of work without a pause. */
const windowsKept = 720;

export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  #endsAt = 0;
  #used = 0;
  #windows: RateWindow[] = [];

  /** @param limit Requests in a window; 0 sets no limit. */
  constructor(limit: number, windowSeconds: number) {
    this.#limit = limit;
    this.#windowMs = windowSeconds * 1000;
  }

  /** Counts a request; refusals are not counted, so a window never holds more than the limit. */
  take(now: number): Refusal | undefined {
    if (this.#limit === 0) return undefined;
    if (now >= this.#endsAt) {
      this.#endsAt = now + this.#windowMs;
      this.#used = 0;
      this.#windows.push({ openedAt: now, used: 0, refused: 0 });
      if (this.#windows.length > windowsKept) this.#windows.shift();
    }
    const window = this.#windows.at(-1);
    if (this.#used >= this.#limit) {
      if (window) window.refused += 1;
      return this.#refusal(now);
    }
    this.#used += 1;
    if (window) window.used = this.#used;
    return undefined;
  }

  /** The windows so far, oldest first; the last one may still be open. Empty without a limit. */
  get windows(): readonly RateWindow[] {
    return this.#windows;
  }

  /** The answer headers of a refusal now, counted or not. */
  refuse(now: number): Refusal {
    return this.#refusal(now);
  }

  reset(): void {
    this.#endsAt = 0;
    this.#windows = [];
  }

  #refusal(now: number): Refusal {
    const endsAt = Math.max(this.#endsAt, now + 1);
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
    return {
      retryAfterSeconds,
      headers: {
        'X-RateLimit-Limit': String(this.#limit),
        'X-RateLimit-Remaining': String(Math.max(0, this.#limit - this.#used)),
        'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
        'Retry-After': String(retryAfterSeconds),
      },
    };
  }
}
