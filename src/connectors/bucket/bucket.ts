// The operations that the connector needs from an object store. Each vendor's client is wrapped in this interface.

import { Readable } from 'node:stream';
import { createTimeoutSignal } from '../../api/abort.ts';
import { readBoundedBody } from '../../api/network/read-bounded-body.ts';
import type { TransferOptions } from '../connector.ts';
import type { FilledFile } from '../staging.ts';
import { smallRequestMs, transferMs } from './request-times.ts';
import { watchStall } from './stall.ts';

/** An object of a store. Its name includes the prefix. */
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

/** Returns the size of the whole object from a `Content-Range` header, or undefined if there is none. */
export function parseTotalBytes(contentRange: string | undefined): number | undefined {
  const total = /\/(\d+)$/.exec(contentRange ?? '')?.[1];
  return total === undefined ? undefined : Number(total);
}

export interface Bucket {
  /** Lists objects whose names start with `prefix`, in pages. With a `cursor`, the result may omit earlier names. */
  list(
    prefix: string,
    signal: AbortSignal | undefined,
    cursor?: string,
  ): AsyncIterable<StoredObject[]>;
  /** Returns the attributes of an object, or null if the object does not exist. */
  head(name: string): Promise<StoredObject | null>;
  /** Opens one version of an object. The caller must read its body to the end or destroy it. */
  get(
    name: string,
    range: ByteRange | null,
    signal: AbortSignal | undefined,
  ): Promise<{ object: StoredObject; body: Readable }>;
  /** Writes an object. With `ifAbsent`, exactly one of several writers gets `written`. */
  put(name: string, bytes: Uint8Array, ifAbsent: boolean): Promise<'written' | 'exists'>;
  /** Uploads a file of this machine using `sendFile`, which tells errors of the file from errors of the store. */
  putFile(name: string, file: FilledFile, options: TransferOptions): Promise<void>;
  /** Deletes an object. A missing object is not an error. */
  remove(name: string): Promise<void>;
}

/**
 * Determines the outcome of a conditional write that found an existing object. After several attempts, an object with
 * exactly these bytes counts as our own, because an earlier response may have been lost.
 */
export async function resolveConflict(
  bucket: Pick<Bucket, 'get'>,
  name: string,
  bytes: Uint8Array,
  attempts: number,
): Promise<'written' | 'exists'> {
  if (attempts <= 1) return 'exists';
  const { body } = await bucket.get(name, null, createTimeoutSignal(smallRequestMs));
  return (await readBoundedBody(body, bytes.length))?.equals(bytes) ? 'written' : 'exists';
}

export interface UploadSizes {
  /** Larger files are uploaded in parts, because stores limit a single request to about this size. */
  maxPutBytes: number;
  /** Minimum size of a part. It is small, because each part is held in memory and its transfer reports no progress. */
  partBytes: number;
}

export const uploadSizes: UploadSizes = {
  maxPutBytes: 5_000 * 1024 ** 2,
  partBytes: 8 * 1024 ** 2,
};

/** Maximum number of parts of an object in S3. */
const maxParts = 10_000;

/** Computes the part size for a file. Returns undefined if the file is uploaded with a single request. */
export function computePartBytes(
  { bytes }: Pick<FilledFile, 'bytes'>,
  { maxPutBytes, partBytes }: UploadSizes,
): number | undefined {
  return bytes > maxPutBytes ? Math.max(partBytes, Math.ceil(bytes / maxParts)) : undefined;
}

/** Input of a file upload. Each attempt calls `stream` to open a new stream. */
export interface UploadAttempt {
  stream: () => Readable;
  signal: AbortSignal;
}

/**
 * Sends a file using `send`. An error of the file itself aborts the client and is thrown unchanged, because the
 * client's own error would look like an error of the store. A stalled connection also aborts the client.
 */
export async function sendFile(
  file: FilledFile,
  { signal, onProgress }: TransferOptions,
  send: (attempt: UploadAttempt) => Promise<unknown>,
): Promise<void> {
  const failure = new AbortController();
  const stall = watchStall((error) => failure.abort(error));
  async function* pieces() {
    const chunks = file.pieces();
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        failure.abort(error);
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
    const readable = Readable.from(pieces(), { objectMode: false });
    // A failed client removes its error listener, and an error without a listener would end the process.
    streams.push(readable.on('error', () => undefined));
    return readable;
  };
  try {
    const timeout = createTimeoutSignal(transferMs(file.bytes), signal);
    await send({ stream, signal: AbortSignal.any([timeout, failure.signal]) });
  } catch (error) {
    signal?.throwIfAborted();
    failure.signal.throwIfAborted();
    throw error;
  } finally {
    stall.stop();
    for (const readable of streams) readable.destroy();
  }
}
