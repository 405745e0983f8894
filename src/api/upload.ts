import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { startDeadline } from './deadline.ts';
import { TransportError } from './errors/errors.ts';
import { SourceChangedError } from './errors/transfer-errors.ts';
import { withTransferEvent } from './events.ts';
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
import { asRecord } from './unknown-values.ts';

/** One version of a file, at any location. */
export interface UploadSource {
  /** Name of the file in messages. */
  name: string;
  bytes: number;
  /** Returns exactly `bytes` bytes. Called once. */
  content(): Promise<Uint8Array | Readable>;
  /** False if the bytes may be a mix of several versions. */
  isUnchanged(): Promise<boolean>;
}

export interface PutFileOptions extends TransferTimeouts {
  /** Signed URL. The API key is not sent. */
  url: string;
  source: UploadSource;
  contentType: string;
  /** `client.network`. */
  network: Network;
  signal?: AbortSignal | undefined;
  /** Called with the number of bytes passed to the connection so far, if the content is a stream. */
  onProgress?: ((sentBytes: number) => void) | undefined;
}

export interface PutFileResult {
  bytes: number;
  /** Hex digest of the sent bytes. */
  sha256: string;
}

const operation = 'upload';

async function send(options: PutFileOptions, url: URL): Promise<string> {
  const { source } = options;
  const hash = createHash('sha256');
  let sourceFailed: unknown;
  let sentBytes = 0;
  async function* chunksOf(stream: Readable) {
    const chunks = stream[Symbol.asyncIterator]();
    for (;;) {
      // An error here belongs to the source, not to the connection to the storage.
      const next = await chunks.next().catch((error: unknown) => {
        sourceFailed = error;
        throw error;
      });
      if (next.done === true) return;
      hash.update(next.value);
      yield next.value;
      sentBytes += next.value.length;
      options.onProgress?.(sentBytes);
    }
  }
  const content = await source.content();
  const wholeContent = content instanceof Uint8Array ? content : null;
  if (wholeContent !== null && wholeContent.length !== source.bytes)
    throw sourceChangedError(source);
  const deadline = startDeadline(totalMsOf(options, source.bytes), options.signal);
  try {
    if (wholeContent !== null) hash.update(wholeContent);
    const response = await loadHttpLibrary().request(url, {
      dispatcher: transferAgent(options.network),
      method: 'PUT',
      headers: { 'content-type': options.contentType, 'content-length': String(source.bytes) },
      body:
        content instanceof Uint8Array
          ? content
          : Readable.from(chunksOf(content), { objectMode: false }),
      headersTimeout: idleMsOf(options),
      bodyTimeout: idleMsOf(options),
      signal: deadline.signal,
    });
    const text = await readStart(response.body);
    const status = response.statusCode;
    const isSuccess = status >= 200 && status < 300;
    const isPage = /<(?:html|!doctype html)[\s>]/i.test(text);
    // Storages refuse in XML or JSON. A gateway in front of them responds with a page or text while it is restarted.
    const isOutage = [404, 405, 410].includes(status) && (isPage || /^\s*[^\s<{]/.test(text));
    if (!isSuccess && !isOutage) throw createStorageError(operation, url.host, status, text);
    // A successful response has an empty body. Some storages report an error with status 200, and some proxies a page.
    if (isOutage || isPage || /<Error[\s>]/i.test(text)) {
      const detail = `${url.host} responded with status ${status} and an error or a page in its body`;
      throw new TransportError(operation, 'sent', 'ERROR_BODY', detail);
    }
    return hash.digest('hex');
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (deadline.hasExpired()) {
      const detail = `${url.host} did not accept ${source.bytes} bytes in time`;
      throw new TransportError(operation, 'sent', 'DEADLINE', detail);
    }
    if (sourceFailed !== undefined) throw sourceFailed;
    if (asRecord(error)['code'] === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')
      throw sourceChangedError(source);
    throw createTransferError(operation, url.host, error);
  } finally {
    if (content instanceof Readable) content.destroy();
    deadline.clear();
  }
}

function sourceChangedError({ name }: UploadSource): SourceChangedError {
  return new SourceChangedError(name, 'while it was being uploaded');
}

/**
 * Uploads a file to its signed URL. Redirects are refused.
 * @throws ForbiddenAddressError, SourceChangedError, LinkExpiredError, TransferRefusedError, TransportError; errors of
 * the source unchanged
 */
export async function putFile(options: PutFileOptions): Promise<PutFileResult> {
  options.signal?.throwIfAborted();
  const url = parseAllowedUrl(options.url, options.network);
  const { source } = options;
  const sha256 = await withTransferEvent(
    'upload',
    () => send(options, url),
    (result) => (result === null ? 0 : source.bytes),
  );
  if (!(await source.isUnchanged())) throw sourceChangedError(source);
  return { bytes: source.bytes, sha256 };
}
