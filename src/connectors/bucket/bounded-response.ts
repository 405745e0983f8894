// Limits store responses that are not objects, because clients keep them in memory, parsed at many times their size.
import { pipeline, type Readable, Transform } from 'node:stream';
import type { ConnectorError } from '../connector-error.ts';
import { createListingError } from './store-errors.ts';

/** Maximum size of a response. An Azure listing page (1,000 names with 8 KiB of metadata each) has about 11 MB. */
export const maxResponseBytes = 16 * 1024 * 1024;
/** Maximum number of start and end tags in a response. Azure sends about 90 per name. */
export const maxResponseTags = 1_000_000;

const lessThan = 0x3c;
const exclamation = 0x21;

export class ResponseBounds {
  #bytes = 0;
  #tags = 0;
  #last = 0;
  #excess: ConnectorError | null = null;

  /** The error that this object threw, or null. Clients replace it with their own error, so callers read it here. */
  get excess(): ConnectorError | null {
    return this.#excess;
  }

  /**
   * Counts a chunk.
   * @param isXml if false, only bytes are counted, because a proxy's error page may be anything
   * @throws ConnectorError beyond the limits, and for `<!`, which may declare entities that multiply text
   */
  take(chunk: Uint8Array, isXml: boolean): void {
    this.takeBytes(this.#bytes + chunk.length);
    if (!isXml) return;
    for (const byte of chunk) {
      if (byte === lessThan) this.#tags += 1;
      else if (byte === exclamation && this.#last === lessThan)
        throw this.#excessError('declares entities');
      this.#last = byte;
    }
    if (this.#tags > maxResponseTags)
      throw this.#excessError(
        `contains more than ${maxResponseTags} XML tags, the maximum for a listing`,
      );
  }

  /** @param bytes number of bytes received so far @throws ConnectorError beyond the limit */
  takeBytes(bytes: number): void {
    this.#bytes = bytes;
    if (bytes > maxResponseBytes)
      throw this.#excessError(
        `contains more than ${maxResponseBytes} bytes, the maximum for a listing`,
      );
  }

  #excessError(problem: string): ConnectorError {
    this.#excess = createListingError(
      `a response from the store ${problem}, so it cannot be read as a listing`,
    );
    return this.#excess;
  }
}

/** Returns the same body, which fails when it exceeds the limits. */
export function boundedBody(body: Readable, isXml: boolean): Readable {
  const bounds = new ResponseBounds();
  const counter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      try {
        bounds.take(chunk, isXml);
        done(null, chunk);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
  // The callback does nothing, because the reader of the result gets the error.
  return pipeline(body, counter, () => undefined);
}
