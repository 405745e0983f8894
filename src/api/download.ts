// Streams one file from a URL into a sink, counting and hashing its bytes. Each redirect is checked like the first URL.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { callOnAbort } from './abort.ts';
import { TransportError } from './errors/errors.ts';
import { getHeader } from './errors/retry-after.ts';
import { TransferRefusedError, TransferTooLargeError } from './errors/transfer-errors.ts';
import { withTransferEvent } from './events.ts';
import { decodedBodyOf } from './network/decoded-body.ts';
import { loadHttpLibrary } from './network/load-http-library.ts';
import { type Network, parseAllowedUrl } from './network/network-guard.ts';
import {
  createStorageError,
  createTransferError,
  idleMsOf,
  readStart,
  type TransferTimeouts,
  totalMsOf,
  transferAgent,
} from './network/transfer-agent.ts';

export interface Sink {
  write(chunk: Uint8Array): Promise<unknown>;
}

export interface DownloadOptions extends TransferTimeouts {
  url: string;
  /** Receives the bytes. The caller opens and closes the sink. */
  sink: Sink;
  /** `client.network`. */
  network: Network;
  signal?: AbortSignal | undefined;
  /** @default 4 GiB */
  maxBytes?: number | undefined;
  onProgress?: ((receivedBytes: number) => void) | undefined;
}

export interface DownloadResult {
  bytes: number;
  /** Hex digest of the bytes. */
  sha256: string;
}

const operation = 'download';
export const maxRedirects = 5;
const defaultMaxBytes = 4 * 1024 ** 3;

interface OpenDownload {
  body: Readable;
  bytes: number | undefined;
}

/** The remote side of a download. Only its errors are translated, and only waiting for it counts against the limits. */
class RemoteFile {
  readonly #options: DownloadOptions;
  readonly #ending = new AbortController();
  #host = 'storage';
  #spentMs = 0;
  #isLate = false;

  constructor(options: DownloadOptions) {
    this.#options = options;
  }

  get host(): string {
    return this.#host;
  }

  /** Follows redirects manually, so that each hop is checked like the first. The requests contain no secret headers. */
  open(): Promise<OpenDownload> {
    return this.#withDeadline(0, async () => {
      const { network } = this.#options;
      let url = parseAllowedUrl(this.#options.url, network);
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        this.#host = url.host;
        const response = await loadHttpLibrary().request(url, {
          dispatcher: transferAgent(network),
          // Compression is disabled, so that the content length equals the counted bytes.
          headers: { 'accept-encoding': 'identity' },
          headersTimeout: idleMsOf(this.#options),
          bodyTimeout: idleMsOf(this.#options),
          signal: this.#ending.signal,
        });
        const status = response.statusCode;
        const location = getHeader(response.headers, 'location');
        if (status < 300 || status >= 400 || location === undefined) {
          if (status === 200) {
            const { body, isCompressed } = decodedBodyOf(response);
            return { body, bytes: isCompressed ? undefined : contentLengthOf(response) };
          }
          const text = await readStart(response.body);
          throw createStorageError(operation, url.host, status, text);
        }
        await response.body.dump();
        url = parseAllowedUrl(location, network, url);
      }
      throw new TransferRefusedError(url.host, 302, `more than ${maxRedirects} redirects`);
    });
  }

  /** Returns the next chunk of the body. @param bytes size of the whole body, if known */
  next(chunks: AsyncIterator<Uint8Array>, bytes: number | undefined) {
    return this.#withDeadline(bytes, () => chunks.next());
  }

  async #withDeadline<T>(bytes: number | undefined, ask: () => Promise<T>): Promise<T> {
    const { signal } = this.#options;
    const startedAtMs = performance.now();
    const leftMs = totalMsOf(this.#options, bytes) - this.#spentMs;
    const timer = setTimeout(() => {
      this.#isLate = true;
      this.#ending.abort();
    }, leftMs);
    const stopListening = callOnAbort(signal, () => this.#ending.abort());
    try {
      return await ask();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!this.#isLate) throw createTransferError(operation, this.#host, error);
      const detail = `${this.#host} did not send the file in time`;
      throw new TransportError(operation, 'sent', 'DEADLINE', detail);
    } finally {
      clearTimeout(timer);
      stopListening();
      this.#spentMs += performance.now() - startedAtMs;
    }
  }
}

function contentLengthOf({ headers }: Dispatcher.ResponseData): number | undefined {
  const length = Number(getHeader(headers, 'content-length') ?? Number.NaN);
  return Number.isNaN(length) ? undefined : length;
}

/**
 * Streams a URL into `sink`.
 * @throws LinkExpiredError if a new link is needed; TransferTooLargeError, TransferRefusedError, ForbiddenAddressError;
 * TransportError, including for a truncated body; errors of the sink unchanged
 */
export function downloadTo(options: DownloadOptions): Promise<DownloadResult> {
  return withTransferEvent(
    'download',
    () => download(options),
    (result) => result?.bytes ?? 0,
  );
}

async function download(options: DownloadOptions): Promise<DownloadResult> {
  const { sink, signal, onProgress, maxBytes = defaultMaxBytes } = options;
  signal?.throwIfAborted();
  const source = new RemoteFile(options);
  const { body, bytes: promised } = await source.open();
  // The reader receives the same error, but without a listener the error would end the process.
  body.on('error', () => undefined);
  try {
    if ((promised ?? 0) > maxBytes) throw new TransferTooLargeError(source.host, maxBytes);
    const hash = createHash('sha256');
    const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
    let bytes = 0;
    for (;;) {
      const { done, value } = await source.next(chunks, promised);
      if (done === true) break;
      bytes += value.length;
      if (bytes > maxBytes) throw new TransferTooLargeError(source.host, maxBytes);
      hash.update(value);
      onProgress?.(bytes);
      // Not within the source's error handling, because a full disk and a broken connection share error codes.
      await sink.write(value);
      signal?.throwIfAborted();
    }
    if (promised !== undefined && promised !== bytes) {
      const detail = `${source.host} announced ${promised} bytes but sent ${bytes}`;
      throw new TransportError(operation, 'sent', 'TRUNCATED', detail);
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    body.destroy();
  }
}
