// Decodes an HTTP response into its body and the operation's output, or into an error that explains what is wrong.

import type { OperationRow } from './contract/operation.ts';
import { ErrorEnvelope } from './contract/schemas.ts';
import {
  type ApiError,
  createApiError,
  notTheApi,
  ResponseShapeError,
  TransportError,
} from './errors/errors.ts';
import { findRequestedDelayMs, getHeader, type RateHeaders } from './errors/retry-after.ts';
import type { HttpResponse } from './network/transport.ts';
import { findJsonExcess } from './responses/bounded-json.ts';
import { maxPlainTextLength } from './responses/plain-text.ts';
import {
  findTooLongList,
  limitsOf,
  responseBounds,
  responseLimitFix,
} from './responses/response-limits.ts';
import { type Anomaly, hasNeededParts, readParts } from './responses/response-reader.ts';
import { UnreadableValue } from './responses/response-values.ts';
import { redactSecrets, toSafeMessage } from './responses/scrub.ts';

export interface DecodeContext {
  url: URL;
  rateHeaders: RateHeaders;
  secrets: readonly string[];
}

/** Returns the parsed body without secrets, or undefined if it is not JSON. */
function parseBody({ text }: HttpResponse, secrets: readonly string[]): unknown {
  try {
    return redactSecrets(JSON.parse(text), secrets);
  } catch {
    return undefined;
  }
}

/** Codes identify failures in records, exit codes and reports. A code of any other form is treated as text. */
const codeShape = /^[A-Z0-9_]{1,64}$/;

function readEnvelopeError(
  body: unknown,
  status: number,
): { code: string; message: string } | null {
  const { value } = readParts(ErrorEnvelope, body);
  if (value instanceof UnreadableValue || value.error === undefined) return null;
  const { code, message = 'no reason given' } = value.error;
  if (codeShape.test(code)) return { code, message };
  return { code: `HTTP_${status}`, message: `${code}: ${message}` };
}

/** Returns the platform's error code and message if they can be read, and otherwise substitutes. */
function readErrorContent(
  response: HttpResponse,
  { url, secrets }: DecodeContext,
): { code: string; message: string } {
  const error = readEnvelopeError(parseBody(response, secrets), response.status);
  if (error !== null) return error;
  const description = isWebPage(response)
    ? 'a web page (HTML)'
    : 'a response without the error envelope';
  const { status } = response;
  // A 5xx error gets no hint about the address, because it may also come from a gateway in front of the right address.
  const hint = status < 500 ? suggestAddress(url) : '';
  // Only a gateway denies access with a page, for example while the routes behind it change.
  const isElsewhere = [404, 405, 410].includes(status) || (status === 403 && isWebPage(response));
  const code = isElsewhere ? notTheApi : `HTTP_${status}`;
  return { code, message: `${description}${hint}` };
}

function isWebPage({ headers, text }: HttpResponse): boolean {
  const type = getHeader(headers, 'content-type') ?? '';
  return /^text\/html\b/i.test(type) || /^\s*<(?:!doctype html|html)\b/i.test(text.slice(0, 200));
}

/** Returns a hint if the base URL lacks the version prefix, and otherwise an empty string. */
function suggestAddress({ origin, pathname }: URL): string {
  const hasVersionPrefix = /\/api\/v\d+\//.test(pathname);
  return hasVersionPrefix ? '' : `; the base URL lacks /api/v1, as in ${origin}/api/v1`;
}

/** Describes the target of an unexpected redirect without its query, and adds `suggestAddress`. */
function redirectHint({ headers }: HttpResponse, url: URL): string {
  const location = getHeader(headers, 'location') ?? '';
  if (!URL.canParse(location, url.href)) return suggestAddress(url);
  const { origin, pathname } = new URL(location, url.href);
  return ` (to ${origin}${pathname})${suggestAddress(url)}`;
}

const maxRequestIdLength = 120;

function toApiError(row: OperationRow, response: HttpResponse, context: DecodeContext): ApiError {
  const { rateHeaders, secrets } = context;
  const { code, message } = readErrorContent(response, context);
  const requestId = getHeader(response.headers, 'x-request-id');
  return createApiError({
    status: response.status,
    code,
    operation: row.id,
    detail: toSafeMessage(message, secrets, maxPlainTextLength),
    requestId: requestId && toSafeMessage(requestId, secrets, maxRequestIdLength),
    retryAfterMs: findRequestedDelayMs(rateHeaders),
  });
}

function readRedirectTarget(row: OperationRow, response: HttpResponse, context: DecodeContext) {
  const { status, headers } = response;
  const location = getHeader(headers, 'location');
  if (status === 302 && location !== undefined && URL.canParse(location, context.url.href))
    return { location: new URL(location, context.url).href };
  throw new ResponseShapeError(row.id, status, '', 'expected status 302 with a Location header');
}

/**
 * Returns the parsed body without secrets, `{ location }` for a redirect, or null for an empty body if no part is
 * required. Any 2xx status is a success, because the reference does not list every success status.
 */
export function decodeResponse(
  row: OperationRow,
  response: HttpResponse,
  context: DecodeContext,
): unknown {
  if (response.status >= 400) throw toApiError(row, response, context);
  if (row.response === 'redirect') return readRedirectTarget(row, response, context);
  if (response.status >= 300 || response.status < 200) {
    const problem = `redirects are not followed here${redirectHint(response, context.url)}`;
    const safeProblem = toSafeMessage(problem, context.secrets);
    throw new ResponseShapeError(row.id, response.status, '', safeProblem);
  }
  if (response.text === '' && !hasNeededParts(row.response)) return null;
  const excess = findJsonExcess(response.text, responseBounds);
  if (excess !== null) {
    const problem = `${excess}; ${responseLimitFix}`;
    throw new ResponseShapeError(row.id, response.status, '', problem);
  }
  const body = parseBody(response, context.secrets);
  // If the body is a proxy's HTML page or is truncated, it is unknown whether the platform did the work.
  if (body === undefined) {
    const page = isWebPage(response)
      ? 'a web page (HTML) instead of JSON'
      : 'a response that is not JSON';
    const description = `${response.text === '' ? 'an empty response' : page} (status ${response.status})`;
    const detail = `${description}${suggestAddress(context.url)}`;
    throw new TransportError(row.id, 'sent', 'NOT_JSON', detail);
  }
  const tooMany = findTooLongList(body, limitsOf(row).items);
  if (tooMany === null) return body;
  throw new ResponseShapeError(row.id, response.status, tooMany.path, tooMany.problem);
}

/**
 * Reads the output of an operation leniently from the body of a successful response.
 * @throws ResponseShapeError if a required part is unreadable, or if the body is a platform error
 */
export function readOutput(
  row: OperationRow,
  status: number,
  body: unknown,
): { output: unknown; anomalies: readonly Anomaly[] } {
  if (row.response === 'redirect') return { output: body, anomalies: [] };
  const { value, anomalies } = readParts(row.response, body);
  const isRead = !(value instanceof UnreadableValue);
  if (!isRead || !hasNeededParts(row.response)) assertNoError(row, status, body);
  if (isRead) return { output: value, anomalies };
  throw new ResponseShapeError(row.id, status, value.path.join('.'), value.problem);
}

/** @throws ResponseShapeError if the body of a successful response is a platform error */
export function assertNoError(row: OperationRow, status: number, body: unknown): void {
  const error = readEnvelopeError(body, status);
  if (error === null) return;
  const problem = `expected a success, received ${error.code}: ${error.message}`;
  throw new ResponseShapeError(row.id, status, 'error', problem);
}
