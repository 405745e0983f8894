// The operations that a connector needs of an object store. Each vendor's client stands behind this interface.
import { Readable } from 'node:stream';
import type { TransferOptions } from '../connector.ts';
import type { FilledFile } from '../staging.ts';
import { transferMs, within } from './request-times.ts';
import { watchStall } from './stall.ts';

/** Names are those of the store: with the prefix, as the store spells them. */
export interface StoredObject {
  name: string;
  bytes: number;
  mtimeMs: number;
  etag: string;
}

export interface ByteRange {
  offset: number;
  length: number;
}

export interface Bucket {
  /**
   * All objects whose names begin with `prefix`, a page at a time, in the order of the store. With `after` those up to
   * this name may be left out, so that a listing that goes on need not begin anew.
   */
  list(
    prefix: string,
    signal: AbortSignal | undefined,
    after?: string,
  ): AsyncIterable<StoredObject[]>;
  /** null when there is no such object. */
  head(name: string): Promise<StoredObject | null>;
  /** One version of an object; its body is read to the end or destroyed by the caller. */
  get(
    name: string,
    range: ByteRange | null,
    signal: AbortSignal | undefined,
  ): Promise<{ object: StoredObject; body: Readable }>;
  /** `ifAbsent`: of many writers exactly one gets `written`. */
  put(name: string, bytes: Uint8Array, ifAbsent: boolean): Promise<'written' | 'exists'>;
  /** A whole file of this machine; by `sendFile`, which tells its troubles from those of the store. */
  putFile(name: string, file: FilledFile, options: TransferOptions): Promise<void>;
  /** Removing what is not there is no error. */
  remove(name: string): Promise<void>;
}

/** All bytes of a stream; one more than `most` where it has more, and the rest is not read. */
export async function bytesOf(body: Readable, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const pieces: AsyncIterable<Uint8Array> = body;
  for await (const chunk of pieces) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > most) break;
  }
  return Buffer.concat(chunks).subarray(0, most + 1);
}

/** A file for upload: a new stream for each attempt. */
export interface Sending {
  stream: () => Readable;
  signal: AbortSignal;
}

/**
 * Has a file sent. What goes wrong with the file itself stops the client and is thrown as it is: whatever the
 * client makes of it would be taken for a trouble of the store. So does a connection that takes no more bytes.
 */
export async function sendFile(
  file: FilledFile,
  { signal, onProgress }: TransferOptions,
  send: (sending: Sending) => Promise<unknown>,
): Promise<void> {
  const broken = new AbortController();
  const stall = watchStall((error) => broken.abort(error));
  async function* pieces() {
    const all = file.pieces();
    for (;;) {
      const next = await all.next().catch((error: unknown) => {
        broken.abort(error);
        throw error;
      });
      stall.touch();
      if (next.done === true) return;
      onProgress?.();
      yield next.value;
    }
  }
  const streams: Readable[] = [];
  const stream = () => {
    const one = Readable.from(pieces(), { objectMode: false });
    // A client that has given up does not listen any more; alone it must not end the process.
    streams.push(one.on('error', () => undefined));
    return one;
  };
  try {
    const late = within(transferMs(file.bytes), signal);
    await send({ stream, signal: AbortSignal.any([late, broken.signal]) });
  } catch (error) {
    signal?.throwIfAborted();
    broken.signal.throwIfAborted();
    throw error;
  } finally {
    stall.stop();
    for (const one of streams) one.destroy();
  }
}
