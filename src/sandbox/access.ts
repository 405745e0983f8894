// Who may call the API: the one workspace key, and the denials that only a setting can cause.
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { fail } from './failure.ts';

/** What `POST /_sandbox/access` can make every request meet (section 5). */
export const Denial = z.enum(['INVALID_API_KEY', 'WORKSPACE_NOT_FOUND', 'GEO_RESTRICTED']);
export type Denial = z.infer<typeof Denial>;

const reasons: Record<Denial, string> = {
  INVALID_API_KEY: 'The API key is invalid, revoked, unknown or expired.',
  WORKSPACE_NOT_FOUND: 'The workspace of this API key does not exist.',
  GEO_RESTRICTED: 'The workspace does not allow access from this location.',
};

export class Access {
  readonly #key: Buffer;
  #denial: Denial | null = null;

  constructor(apiKey: string) {
    this.#key = digest(apiKey);
  }

  get denial(): Denial | null {
    return this.#denial;
  }

  /** Denies every request with this code, or none. */
  deny(denial: Denial | null): void {
    this.#denial = denial;
  }

  /** Throws MISSING_API_KEY or INVALID_API_KEY, or the denial that was set. */
  check(given: string | undefined): void {
    if (given === undefined || given === '')
      fail('MISSING_API_KEY', 'The X-API-Key header is missing.');
    if (!timingSafeEqual(digest(given), this.#key))
      fail('INVALID_API_KEY', reasons.INVALID_API_KEY);
    if (this.#denial) fail(this.#denial, reasons[this.#denial]);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
