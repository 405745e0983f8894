// Checks the workspace's API key, and holds denials that only a control can set.
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../http/failure.ts';

/** Codes with which `POST /_sandbox/access` can deny all requests. */
export const Denial = z.enum(['INVALID_API_KEY', 'WORKSPACE_NOT_FOUND', 'GEO_RESTRICTED']);
export type Denial = z.infer<typeof Denial>;

const reasons: Record<Denial, string> = {
  INVALID_API_KEY: 'The API key is invalid, revoked, unknown or expired.',
  WORKSPACE_NOT_FOUND: 'The workspace of this API key does not exist.',
  GEO_RESTRICTED: 'The workspace does not allow access from this location.',
};

/** Properties of the key in GET /me. */
export const KeyFacts = z.strictObject({
  name: z.string().nullable(),
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
});
export type KeyFacts = z.infer<typeof KeyFacts>;

const initial: KeyFacts = { name: 'sandbox', expiresAt: null };

export class Access {
  readonly #key: Buffer;
  #denial: Denial | null = null;
  #facts = initial;

  constructor(apiKey: string) {
    this.#key = digest(apiKey);
  }

  get denial(): Denial | null {
    return this.#denial;
  }

  /** Denies every request with this code; null denies none. */
  deny(denial: Denial | null): void {
    this.#denial = denial;
  }

  get key(): KeyFacts {
    return this.#facts;
  }

  setKey(facts: { readonly [Name in keyof KeyFacts]?: KeyFacts[Name] | undefined }): void {
    this.#facts = KeyFacts.parse({ ...this.#facts, ...facts });
  }

  reset(): void {
    this.#denial = null;
    this.#facts = initial;
  }

  /** Checks an API key. @throws ApiFailure MISSING_API_KEY, INVALID_API_KEY, or the denial that was set */
  check(given: string | undefined, nowMs: number): void {
    if (given === undefined || given === '')
      fail('MISSING_API_KEY', 'The X-API-Key header is missing.');
    if (!timingSafeEqual(digest(given), this.#key))
      fail('INVALID_API_KEY', reasons.INVALID_API_KEY);
    const { expiresAt } = this.#facts;
    if (expiresAt !== null && nowMs >= Date.parse(expiresAt))
      fail('INVALID_API_KEY', `The API key expired at ${expiresAt}.`);
    if (this.#denial) fail(this.#denial, reasons[this.#denial]);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
