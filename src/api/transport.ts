// One HTTP try: timeouts, size cap, key to the right origin only. Waits and repeats belong to the caller.
import { Agent, request } from 'undici';
import { startDeadline } from './deadline.ts';
import { ResponseShapeError, TransportError, type TransportPhase } from './errors.ts';
import { guardedLookup } from './network-guard.ts';
import type { ResponseHeaders } from './retry-after.ts';
import { safeMessage } from './scrub.ts';

export interface TransportTimeouts {
  /** @default 10_000 */
  connectMs: number;
  /** From the sent request to the response headers. @default 30_000 */
  headersMs: number;
  /** Silence inside a body. @default 30_000 */
  bodyMs: number;
  /** The whole try. @default 60_000 */
  totalMs: number;
}

const defaultTimeouts: TransportTimeouts = {
  connectMs: 10_000,
  headersMs: 30_000,
  bodyMs: 30_000,
  totalMs: 60_000,
};

/** A page of a hundred items has some 100 kB; nothing that is worth reading comes near. */
export const answerBytesAtMost = 32 * 1024 * 1024;

export interface TransportOptions {
  /** Origin that may see the key. */
  origin: string;
  apiKey: string;
  timeouts?: Partial<TransportTimeouts>;
  /** Bytes of an answer. @default 33_554_432 */
  maxResponseBytes?: number;
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
  // Too many files are open for one more socket.
  'EMFILE',
  'ENFILE',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Code and phase of an error that the HTTP library threw. */
export function networkFault(error: unknown): { code: string; phase: TransportPhase } {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'NETWORK';
  return { code, phase: connectCodes.has(code) ? 'connect' : 'sent' };
}

/** What a person reads about a network error: its own words, without anything secret. */
export function faultText(error: unknown, secrets: readonly string[] = []): string {
  // A refused connection to a name with several addresses is an AggregateError without words.
  const text = error instanceof Error && error.message !== '' ? error.message : 'connection failed';
  return safeMessage(text, secrets, 300);
}

function isTooLarge(error: unknown): boolean {
  return networkFault(error).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}

/**
 * A refusal says enough by its status.
 * @throws ResponseShapeError for a success, whose next try would be as large.
 */
function withoutBody(
  operation: string,
  head: Pick<HttpAnswer, 'status' | 'headers'>,
  bytesAtMost: number,
): HttpAnswer {
  if (head.status >= 400) return { ...head, text: '' };
  throw new ResponseShapeError(operation, head.status, '', `it has more than ${bytesAtMost} bytes`);
}

/** A keep-alive connection pool to the platform that makes exactly one try per call. */
export function createTransport(options: TransportOptions): Transport {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const secrets = [options.apiKey];
  const maxResponseSize = options.maxResponseBytes ?? answerBytesAtMost;
  const agent = new Agent({
    connect: { timeout: timeouts.connectMs, lookup: guardedLookup('any') },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    maxResponseSize,
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
      let head: Pick<HttpAnswer, 'status' | 'headers'> | undefined;
      try {
        // No redirect handling on purpose: a 302 is an answer, and the key must not travel with it.
        const response = await request(call.url, {
          dispatcher: agent,
          method: call.method,
          headers: headersFor(call),
          body: call.body ?? null,
          signal: deadline.signal,
        });
        head = { status: response.statusCode, headers: response.headers };
        return { ...head, text: await response.body.text() };
      } catch (error) {
        if (head && isTooLarge(error)) return withoutBody(call.operation, head, maxResponseSize);
        if (call.signal?.aborted) throw call.signal.reason;
        if (deadline.expired()) {
          const detail = `no complete answer within ${timeouts.totalMs} ms`;
          throw new TransportError(call.operation, 'sent', 'DEADLINE', detail);
        }
        const { code, phase } = networkFault(error);
        throw new TransportError(call.operation, phase, code, faultText(error, secrets));
      } finally {
        deadline.clear();
      }
    },
    close: () => agent.close(),
  };
}
