// A single HTTP attempt with timeouts and a size limit. Only one origin receives the API key. Callers wait and retry.
import type { Dispatcher } from 'undici';
import { startDeadline } from '../deadline.ts';
import { ResponseShapeError, TransportError } from '../errors/errors.ts';
import type { ResponseHeaders } from '../errors/retry-after.ts';
import { responseLimitFix } from '../responses/response-limits.ts';
import { toSafeMessage } from '../responses/scrub.ts';
import { decodedBodyOf } from './decoded-body.ts';
import { createHttpAgent } from './http-agents.ts';
import { loadHttpLibrary } from './load-http-library.ts';
import { classifyNetworkError, formatNetworkError } from './network-errors.ts';
import { readBoundedBody } from './read-bounded-body.ts';

export interface TransportTimeouts {
  /** @default 10_000 */
  connectMs: number;
  /** Time between sending the request and receiving the response headers. @default 30_000 */
  headersMs: number;
  /** Maximum silence within a body. @default 30_000 */
  bodyMs: number;
  /** Maximum duration of an attempt. @default 60_000 */
  totalMs: number;
}

const defaultTimeouts: TransportTimeouts = {
  connectMs: 10_000,
  headersMs: 30_000,
  bodyMs: 30_000,
  totalMs: 60_000,
};

/** Maximum number of bytes of an error response. Longer bodies are discarded. */
const refusalBytes = 64 * 1024;

export interface TransportOptions {
  /** The only origin that receives the API key. */
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
  /** False to send no API key. */
  sendsKey: boolean;
  /** Maximum number of bytes of a successful response. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  status: number;
  headers: ResponseHeaders;
  text: string;
}

export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Converts a network error to a TransportError that contains the host, without secrets. */
export function toTransportError(
  operation: string,
  host: string,
  error: unknown,
  secrets: readonly string[] = [],
): TransportError {
  const networkError = classifyNetworkError(error, host);
  const { code, phase } = networkError ?? { code: 'NETWORK', phase: 'sent' as const };
  const message = (error instanceof Error && error.message) || 'connection failed';
  const text = networkError ? formatNetworkError(networkError, host) : `${host}: ${message}`;
  return new TransportError(operation, phase, code, toSafeMessage(text, secrets, 400));
}

/**
 * Reads a whole response. If the body of an error response is too long, it is discarded, because the status is enough.
 * @throws ResponseShapeError if a successful response is too long, because a retry would return the same
 */
async function readResponse(
  { operation, maxBytes }: HttpRequest,
  response: Dispatcher.ResponseData,
): Promise<HttpResponse> {
  const { statusCode: status, headers } = response;
  const isRefusal = status >= 400;
  const { body } = decodedBodyOf(response);
  const bytes = await readBoundedBody(body, isRefusal ? refusalBytes : maxBytes);
  if (bytes !== null || isRefusal)
    return { status, headers, text: new TextDecoder().decode(bytes ?? undefined) };
  const problem = `it has more than ${maxBytes} bytes; ${responseLimitFix}`;
  throw new ResponseShapeError(operation, status, '', problem);
}

/** Creates a keep-alive connection pool to the platform. Each call makes one attempt. */
export function createTransport(options: TransportOptions): Transport {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const secrets = [options.apiKey];
  const { request } = loadHttpLibrary();
  const agent = createHttpAgent('any', {
    connectMs: timeouts.connectMs,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    connections: 64,
  });

  function headersFor(call: HttpRequest): Record<string, string> {
    const mayHaveKey = call.sendsKey && options.apiKey !== '' && call.url.origin === options.origin;
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
        // Redirects are deliberately not followed: a 302 is a result, and the key must not be sent to its target.
        const response = await request(call.url, {
          dispatcher: agent,
          method: call.method,
          headers: headersFor(call),
          body: call.body ?? null,
          signal: deadline.signal,
        });
        return await readResponse(call, response);
      } catch (error) {
        if (error instanceof ResponseShapeError) throw error;
        if (call.signal?.aborted) throw call.signal.reason;
        if (deadline.hasExpired()) {
          const detail = `no complete response within ${timeouts.totalMs} ms`;
          throw new TransportError(call.operation, 'sent', 'DEADLINE', detail);
        }
        throw toTransportError(call.operation, call.url.host, error, secrets);
      } finally {
        deadline.clear();
      }
    },
    close: () => agent.close(),
  };
}
