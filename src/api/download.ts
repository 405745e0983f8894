// Streams one file from a URL into a sink, counting and hashing; every redirect is checked again.
import { createHash } from 'node:crypto';
import { type Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { startDeadline } from './deadline.ts';
import { TransportError } from './errors.ts';
import { checkedUrl, type Network } from './network-guard.ts';
import { header } from './retry-after.ts';
import {
  idleMsOf,
  readStart,
  storageError,
  type TransferTimeouts,
  totalMsOf,
  transferAgent,
  transferFault,
} from './transfer-agent.ts';
import { TransferRefusedError, TransferTooLargeError } from './transfer-errors.ts';

export interface DownloadOptions extends TransferTimeouts {
  url: string;
  /** Ended on success, destroyed on failure. Writing aside and renaming is the owner's business. */
  sink: Writable;
  /** `client.network`. */
  network: Network;
  signal?: AbortSignal | undefined;
  /** @default 4 GiB */
  maxBytes?: number | undefined;
  onProgress?: ((receivedBytes: number) => void) | undefined;
}

export interface Downloaded {
  bytes: number;
  /** Hex. */
  sha256: string;
  contentType: string | undefined;
}

const operation = 'download';
const maxRedirects = 5;
const defaultMaxBytes = 4 * 1024 ** 3;

interface Opened {
  body: Readable;
  host: string;
  bytes: number | undefined;
  contentType: string | undefined;
}

/** Follows redirects by hand: each hop is checked like the first, and no header of ours is worth stealing. */
async function openBody(options: DownloadOptions, signal: AbortSignal): Promise<Opened> {
  let url = checkedUrl(options.url, options.network);
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await request(url, {
      dispatcher: transferAgent(options.network),
      // The length promised must be the length counted.
      headers: { 'accept-encoding': 'identity' },
      headersTimeout: idleMsOf(options),
      bodyTimeout: idleMsOf(options),
      signal,
    }).catch((error: unknown) => {
      throw transferFault(operation, url.host, error);
    });
    const status = response.statusCode;
    const location = header(response.headers, 'location');
    if (status >= 300 && status < 400 && location !== undefined) {
      await response.body.dump();
      url = checkedUrl(location, options.network, url);
      continue;
    }
    if (status !== 200) {
      const text = await readStart(response.body);
      throw storageError(operation, url.host, status, text);
    }
    const length = Number(header(response.headers, 'content-length') ?? Number.NaN);
    return {
      body: response.body,
      host: url.host,
      bytes: Number.isNaN(length) ? undefined : length,
      contentType: header(response.headers, 'content-type'),
    };
  }
  const detail = `more than ${maxRedirects} redirects`;
  throw new TransferRefusedError(url.host, 302, detail);
}

/**
 * Streams a URL into `sink`. Throws LinkExpiredError (ask for a new link), TransferTooLargeError,
 * TransferRefusedError, ForbiddenAddressError, TransportError (also when fewer bytes came than were
 * promised), or whatever the sink failed with, unchanged.
 */
export async function downloadTo(options: DownloadOptions): Promise<Downloaded> {
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  const hash = createHash('sha256');
  let firstToFail: 'sink' | 'body' | undefined;
  options.sink.once('error', () => {
    firstToFail ??= 'sink';
  });
  let host = 'storage';
  let deadline = startDeadline(totalMsOf(options, 0), options.signal);
  try {
    options.signal?.throwIfAborted();
    const opened = await openBody(options, deadline.signal);
    host = opened.host;
    // Only now is it known how long the rest may take.
    deadline.clear();
    deadline = startDeadline(totalMsOf(options, opened.bytes), options.signal);
    if ((opened.bytes ?? 0) > maxBytes) throw new TransferTooLargeError(host, maxBytes);
    // A broken body takes the sink down with the same error, and the other way round.
    opened.body.once('error', () => {
      firstToFail ??= 'body';
    });
    let bytes = 0;
    const measure = new Transform({
      transform(chunk: Uint8Array, _encoding, done) {
        bytes += chunk.length;
        if (bytes > maxBytes) return done(new TransferTooLargeError(host, maxBytes));
        hash.update(chunk);
        options.onProgress?.(bytes);
        done(null, chunk);
      },
    });
    await pipeline(opened.body, measure, options.sink, { signal: deadline.signal });
    if (opened.bytes !== undefined && opened.bytes !== bytes) {
      const detail = `${host} promised ${opened.bytes} bytes and sent ${bytes}`;
      throw new TransportError(operation, 'sent', 'TRUNCATED', detail);
    }
    return { bytes, sha256: hash.digest('hex'), contentType: opened.contentType };
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (deadline.expired()) {
      const detail = `${host} did not send the file in time`;
      throw new TransportError(operation, 'sent', 'DEADLINE', detail);
    }
    throw firstToFail === 'sink' ? error : transferFault(operation, host, error);
  } finally {
    deadline.clear();
    if (!options.sink.writableEnded) options.sink.destroy();
  }
}
