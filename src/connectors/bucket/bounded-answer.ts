// Bounds what a store answers beside objects: its clients read such an answer whole, and parsed it takes many times its length.
import { pipeline, type Readable, Transform } from 'node:stream';
import { ConnectorError } from '../connector-error.ts';

/** A page of 5,000 names of 1,024 characters, with all that Azure says of each, has some 13 MB. */
export const answerBytes = 16 * 1024 * 1024;
/** Tags, each an element's begin or end: Azure has some 90 for each name. */
export const answerTags = 1_000_000;

const lessThan = 0x3c;
const exclamation = 0x21;

/** Counts the bytes of one answer. */
export class AnswerBounds {
  #bytes = 0;
  #tags = 0;
  #last = 0;
  #excess: ConnectorError | null = null;

  /** What was thrown; clients put errors of their own in its place. */
  get excess(): ConnectorError | null {
    return this.#excess;
  }

  /**
   * @param isXml false: only bytes are counted, since a proxy's error page may be anything
   * @throws ConnectorError for more than a store has to say, and for declarations, which can multiply a text
   */
  take(chunk: Uint8Array, isXml: boolean): void {
    this.takeBytes(this.#bytes + chunk.length);
    if (!isXml) return;
    for (const byte of chunk) {
      if (byte === lessThan) this.#tags += 1;
      else if (byte === exclamation && this.#last === lessThan)
        throw this.#odd('declares entities');
      this.#last = byte;
    }
    if (this.#tags > answerTags) throw this.#odd(`has more than ${answerTags} tags`);
  }

  /** @param bytes that have come so far */
  takeBytes(bytes: number): void {
    this.#bytes = bytes;
    if (bytes > answerBytes) throw this.#odd(`has more than ${answerBytes} bytes`);
  }

  #odd(what: string): ConnectorError {
    this.#excess = new ConnectorError(
      'PLACE_UNREADABLE',
      '',
      `an answer of the store ${what}, which no listing has`,
      'check what answers at the `endpoint` of the connector, then resume the run',
    );
    return this.#excess;
  }
}

/** The same body, which breaks off where it is too much. */
export function boundedBody(body: Readable, isXml: boolean): Readable {
  const bounds = new AnswerBounds();
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      try {
        bounds.take(chunk, isXml);
        done(null, chunk);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
  // Whoever reads it is told of the error.
  return pipeline(body, counted, () => undefined);
}
