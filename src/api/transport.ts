// One HTTP try: timeouts, size cap, key only to the right origin. Callers do the waiting and repeating.
import type { Dispatcher } from 'undici';
import { lookThere } from './answer-limits.ts';
import { certificateCodes, certificateFault } from './certificates.ts';
import { startDeadline } from './deadline.ts';
import { ResponseShapeError, TransportError, type TransportPhase } from './errors.ts';
import { httpLibrary } from './http-library.ts';
import { guardedLookup } from './network-guard.ts';
import type { ResponseHeaders } from './retry-after.ts';
import { safeMessage } from './scrub.ts';
import { ForbiddenAddressError } from './transfer-errors.ts';

export interface TransportTimeouts {
  /** @default 10_000 */
  connectMs: number;
  /** From the sent request to the response headers. @default 30_000 */
  headersMs: number;
  /** Longest silence inside a body. @default 30_000 */
  bodyMs: number;
  /** Longest time of a try. @default 60_000 */
  totalMs: number;
}

const defaultTimeouts: TransportTimeouts = {
  connectMs: 10_000,
  headersMs: 30_000,
  bodyMs: 30_000,
  totalMs: 60_000,
};

/** Most bytes read of a refusal, which says what it means at its start. */
const refusalBytes = 64 * 1024;

export interface TransportOptions {
  /** The only origin that gets the key. */
  origin: string;
  apiKey: string;
  timeouts?: Partial<TransportTimeouts>;
  userAgent?: string;
}

interface HttpRequest {
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: URL;
  body?: string | undefined;
  idempotencyKey?: string | undefined;
  /** false leaves the key out. */
  auth: boolean;
  /** Most bytes of a success. */
  bytesAtMost: number;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: ResponseHeaders;
  text: string;
}

export interface Transport {
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** Errors that end a try before a connection exists. Anything else counts as sent. */
const connectCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  // Too many open files to make another socket.
  'EMFILE',
  'ENFILE',
  'UND_ERR_CONNECT_TIMEOUT',
  ...certificateCodes,
]);

/** Code and phase of an error of the HTTP library. */
export function networkFault(error: unknown): { code: string; phase: TransportPhase } {
  if (error instanceof ForbiddenAddressError) return { code: 'ADDRESS_REFUSED', phase: 'connect' };
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'NETWORK';
  return { code, phase: connectCodes.has(code) ? 'connect' : 'sent' };
}

/** Words of a network error for people, without secrets. */
export function faultText(error: unknown, secrets: readonly string[] = []): string {
  // A refused connection to a name with several addresses is an AggregateError without words.
  const text = error instanceof Error && error.message !== '' ? error.message : 'connection failed';
  return safeMessage(text, secrets, 300);
}

/** Text of a body; null where it is longer. Leaving the loop closes the connection, so no more is read. */
async function textOf(
  body: AsyncIterable<Uint8Array>,
  bytesAtMost: number,
): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesAtMost) return null;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * Reads a whole answer. A refusal that is too long comes without its text, since its status says enough.
 * @throws ResponseShapeError for a success that is too long: another try would be as long.
 */
async function wholeAnswer(
  { operation, bytesAtMost }: HttpRequest,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
): Promise<HttpAnswer> {
  const isRefusal = status >= 400;
  const text = await textOf(body, isRefusal ? refusalBytes : bytesAtMost);
  if (text !== null || isRefusal) return { status, headers, text: text ?? '' };
  throw new ResponseShapeError(
    operation,
    status,
    '',
    `it has more than ${bytesAtMost} bytes; ${lookThere}`,
  );
}

/** A keep-alive connection pool to the platform that makes one try per call. */
export function createTransport(options: TransportOptions): Transport {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const secrets = [options.apiKey];
  const { Agent, request } = httpLibrary();
  const agent = new Agent({
    connect: { timeout: timeouts.connectMs, lookup: guardedLookup('any') },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    connections: 64,
  });

  function headersFor(call: HttpRequest): Record<string, string> {
    const mayHaveKey = call.auth && options.apiKey !== '' && call.url.origin === options.origin;
    return {
      accept: 'application/json',
      'user-agent': options.userAgent ?? 'renderline',
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
      ...(mayHaveKey && { 'x-api-key': options.apiKey }),
    };
  }

  return {
    async send(call) {
      call.signal?.throwIfAborted();
      const deadline = startDeadline(timeouts.totalMs, call.signal);
      try {
        // No redirect handling on purpose: a 302 is an answer, and the key must not travel with it.
        const response = await request(call.url, {
          dispatcher: agent,
          method: call.method,
          headers: headersFor(call),
          body: call.body ?? null,
          signal: deadline.signal,
        });
        return await wholeAnswer(call, response);
      } catch (error) {
        if (error instanceof ResponseShapeError) throw error;
        if (call.signal?.aborted) throw call.signal.reason;
        if (deadline.expired()) {
          const detail = `no complete answer within ${timeouts.totalMs} ms`;
          throw new TransportError(call.operation, 'sent', 'DEADLINE', detail);
        }
        const { code, phase } = networkFault(error);
        const detail = certificateFault(code, call.url.host) ?? faultText(error, secrets);
        throw new TransportError(call.operation, phase, code, detail);
      } finally {
        deadline.clear();
      }
    },
    close: () => agent.close(),
  };
}
