// A fixed-window rate limit. A window opens with the first request after the previous one has closed.

export interface RateRefusal {
  readonly retryAfterSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts of one window. */
export interface WindowCounts {
  /** Time of its first request, in epoch milliseconds. */
  readonly openedAt: number;
  used: number;
  refused: number;
}

/** Windows kept for statistics: half a day of consecutive windows of 60 seconds. */
const maxWindowsKept = 720;

export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  #endsAt = 0;
  #windows: WindowCounts[] = [];

  /** @param limit Requests per window. With 0, there is no limit. */
  constructor(limit: number, windowSeconds: number) {
    this.#limit = limit;
    this.#windowMs = windowSeconds * 1000;
  }

  /** Counts a request. Refused requests do not count, so a window never has more than the limit. */
  take(nowMs: number): RateRefusal | undefined {
    if (this.#limit === 0) return undefined;
    if (nowMs >= this.#endsAt) {
      this.#endsAt = nowMs + this.#windowMs;
      this.#windows.push({ openedAt: nowMs, used: 0, refused: 0 });
      if (this.#windows.length > maxWindowsKept) this.#windows.shift();
    }
    const window = this.#windows.at(-1);
    if (window && window.used < this.#limit) {
      window.used += 1;
      return undefined;
    }
    if (window) window.refused += 1;
    return this.refuse(nowMs);
  }

  /** The windows so far, oldest first. The last one may be open. Empty without a limit. */
  get windows(): readonly WindowCounts[] {
    return this.#windows;
  }

  /** Returns a refusal at this time, with the seconds to wait and the response headers. */
  refuse(nowMs: number): RateRefusal {
    const endsAt = Math.max(this.#endsAt, nowMs + 1);
    const used = this.#windows.at(-1)?.used ?? 0;
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - nowMs) / 1000));
    return {
      retryAfterSeconds,
      headers: {
        'X-RateLimit-Limit': String(this.#limit),
        'X-RateLimit-Remaining': String(Math.max(0, this.#limit - used)),
        'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
        'Retry-After': String(retryAfterSeconds),
      },
    };
  }

  reset(): void {
    this.#endsAt = 0;
    this.#windows = [];
  }
}
