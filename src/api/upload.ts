// Puts one file to a signed URL: streamed, and refused when the file changes under our hands.
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { startDeadline } from './deadline.ts';
import { TransportError } from './errors.ts';
import { checkedUrl, type Network } from './network-guard.ts';
import {
  idleMsOf,
  readStart,
  storageError,
  type TransferTimeouts,
  totalMsOf,
  transferAgent,
  transferFault,
} from './transfer-agent.ts';
import { SourceChangedError, SourceGoneError } from './transfer-errors.ts';

export interface PutFileOptions extends TransferTimeouts {
  /** Signed URL (4.2). It authenticates itself; the API key is never sent. */
  url: string;
  /** Of the local file. */
  path: string;
  contentType: string;
  /** `client.network`. */
  network: Network;
  signal?: AbortSignal | undefined;
  /** Bytes handed to the connection so far. */
  onProgress?: ((sentBytes: number) => void) | undefined;
  /** What discovery saw; anything else is another version of the file. */
  expect?: { bytes: number; mtimeMs: number } | undefined;
}

export interface PutFileResult {
  bytes: number;
  /** Of the bytes that were sent, hex. */
  sha256: string;
}

const operation = 'upload';

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNREADABLE';
}

async function openSource(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw new SourceGoneError(path, systemCode(error));
  }
}

function sameVersion(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}

function checkExpected(path: string, found: Stats, expect: PutFileOptions['expect']): void {
  if (!found.isFile()) throw new SourceGoneError(path, 'NOT_A_FILE');
  if (!expect) return;
  // Listings may carry whole milliseconds where the file system has fractions.
  const sameTime = Math.trunc(found.mtimeMs) === Math.trunc(expect.mtimeMs);
  if (found.size !== expect.bytes || !sameTime) {
    throw new SourceChangedError(path, 'since it was listed');
  }
}

/** The bytes sent are those of one version only if the file, and what its name leads to, is still that version. */
async function checkUnchanged(path: string, handle: FileHandle, before: Stats): Promise<void> {
  const after = await handle.stat();
  const named = await stat(path).catch(() => undefined);
  // A file deleted after its last byte was read has been sent whole.
  if (!sameVersion(before, after) || (named && !sameVersion(after, named))) {
    throw new SourceChangedError(path, 'while it was being uploaded');
  }
}

/** One read is much cheaper than a stream; a catalogue of small files is all such reads. */
const smallBytes = 128 * 1024;

async function readWhole(path: string, handle: FileHandle, bytes: number): Promise<Buffer> {
  const whole = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await handle.read(whole, filled, bytes - filled, filled);
    if (bytesRead === 0) throw new SourceChangedError(path, 'while it was being uploaded');
    filled += bytesRead;
  }
  return whole;
}

async function send(
  options: PutFileOptions,
  url: URL,
  handle: FileHandle,
  bytes: number,
): Promise<string> {
  const hash = createHash('sha256');
  let sentBytes = 0;
  async function* content() {
    // Never past the announced length: a file that grows is noticed afterwards.
    const source = handle.createReadStream({
      autoClose: false,
      start: 0,
      end: bytes - 1,
      highWaterMark: 256 * 1024,
    });
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
      sentBytes += chunk.length;
      options.onProgress?.(sentBytes);
    }
  }
  const deadline = startDeadline(totalMsOf(options, bytes), options.signal);
  try {
    const small = bytes <= smallBytes ? await readWhole(options.path, handle, bytes) : null;
    if (small) hash.update(small);
    const response = await request(url, {
      dispatcher: transferAgent(options.network),
      method: 'PUT',
      headers: { 'content-type': options.contentType, 'content-length': String(bytes) },
      body: small ?? Readable.from(content(), { objectMode: false }),
      headersTimeout: idleMsOf(options),
      bodyTimeout: idleMsOf(options),
      signal: deadline.signal,
    });
    const text = await readStart(response.body);
    const status = response.statusCode;
    if (status < 200 || status >= 300) throw storageError(operation, url.host, status, text);
    // Success is an empty body (4.2); some storages report an error under a 200.
    if (/<Error[\s>]/i.test(text)) {
      const detail = `${url.host} answered 200 with an error in its body`;
      throw new TransportError(operation, 'sent', 'ERROR_BODY', detail);
    }
    return hash.digest('hex');
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (deadline.expired()) {
      const detail = `${url.host} did not take ${bytes} bytes in time`;
      throw new TransportError(operation, 'sent', 'DEADLINE', detail);
    }
    if (systemCode(error) === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') {
      throw new SourceChangedError(options.path, 'while it was being uploaded');
    }
    throw transferFault(operation, url.host, error);
  } finally {
    deadline.clear();
  }
}

/**
 * Streams a file to its signed URL through one file handle; a gigabyte never sits in memory. Redirects are
 * refused. Throws SourceGoneError, SourceChangedError, LinkExpiredError, TransferRefusedError or TransportError.
 */
export async function putFile(options: PutFileOptions): Promise<PutFileResult> {
  options.signal?.throwIfAborted();
  const url = checkedUrl(options.url, options.network);
  const handle = await openSource(options.path);
  try {
    const before = await handle.stat();
    checkExpected(options.path, before, options.expect);
    const sha256 = await send(options, url, handle, before.size);
    await checkUnchanged(options.path, handle, before);
    return { bytes: before.size, sha256 };
  } finally {
    await handle.close();
  }
}
