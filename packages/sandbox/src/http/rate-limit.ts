// The fixed window of section 8. It opens with the first request after the last one closed.

export interface Refusal {
  readonly retryAfterSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  #endsAt = 0;
  #used = 0;

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
    }
    if (this.#used >= this.#limit) return this.#refusal(now);
    this.#used += 1;
    return undefined;
  }

  /** The answer headers of a refusal now, counted or not. */
  refuse(now: number): Refusal {
    return this.#refusal(now);
  }

  reset(): void {
    this.#endsAt = 0;
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
