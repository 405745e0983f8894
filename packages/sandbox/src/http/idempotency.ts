// Idempotency keys: a repeated request is answered with the bytes of the first response while the key is valid.
import { createHash } from 'node:crypto';
import type { Store } from '../state/store.ts';
import { fail, refuseInput } from './failure.ts';

/** A response as it is sent again for the same key. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
  /** Target of a redirect. */
  readonly location?: string;
  /** Stored under the key instead of this response. Null stores nothing. */
  readonly remembered?: StoredResponse | null;
}

const maxKeyLength = 255;

export class Idempotency {
  readonly #store: Store;
  readonly #lifeMs: number;
  readonly #inFlight = new Map<string, string>();

  constructor(store: Store, keyHours: number) {
    this.#store = store;
    this.#lifeMs = keyHours * 3_600_000;
  }

  /**
   * Calls `createResponse` once for a key, endpoint and body. The response, or its `remembered` variant, is stored if
   * its status is below 500 and not 429. The caller flushes it. Refusals by the rate limit never reach this method.
   * @throws ApiFailure VALIDATION_ERROR, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_CONFLICT
   */
  async respond(
    request: { key: string; endpoint: string; body: Uint8Array; nowMs: number },
    createResponse: () => Promise<StoredResponse>,
  ): Promise<StoredResponse & { readonly replayed: boolean }> {
    const { key, endpoint, nowMs } = request;
    if (key.length === 0 || key.length > maxKeyLength) {
      refuseInput(
        `Idempotency-Key must have 1 to ${maxKeyLength} characters; it has ${key.length}.`,
      );
    }
    this.#dropExpired(nowMs);
    const bodySha256 = createHash('sha256').update(request.body).digest('hex');
    const record = this.#store.keys.get(key);
    const inFlightPrint = this.#inFlight.get(key);
    const print = `${endpoint} ${bodySha256}`;
    const first = record ? `${record.endpoint} ${record.bodySha256}` : inFlightPrint;
    if (first !== undefined && first !== print) {
      fail(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was used with a different endpoint or body.',
      );
    }
    if (record) return { status: record.status, body: record.body, replayed: true };
    if (inFlightPrint !== undefined) {
      fail('IDEMPOTENCY_CONFLICT', 'A request with this Idempotency-Key is still in flight.');
    }
    this.#inFlight.set(key, print);
    try {
      const response = await createResponse();
      const storedResponse = response.remembered === undefined ? response : response.remembered;
      if (storedResponse !== null && storedResponse.status < 500 && storedResponse.status !== 429) {
        const { status, body } = storedResponse;
        this.#store.keys.insert({ id: key, endpoint, bodySha256, status, body, createdAt: nowMs });
      }
      return { ...response, replayed: false };
    } finally {
      this.#inFlight.delete(key);
    }
  }

  #dropExpired(nowMs: number): void {
    for (;;) {
      const oldest = this.#store.keys.all[0];
      if (!oldest || nowMs < oldest.createdAt + this.#lifeMs) return;
      this.#store.keys.remove(oldest.id);
    }
  }
}
