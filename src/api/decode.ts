// Decodes an HTTP response into its body and the operation's output, or into an error that explains what is wrong.
import { answerBounds, excessItems, limitsOf, lookThere } from './answer-limits.ts';
import { demands, type Oddity, readParts } from './answer-reader.ts';
import { Unreadable } from './answer-values.ts';
import { excessValues } from './bounded-json.ts';
import {
  type ApiError,
  apiError,
  notTheApi,
  ResponseShapeError,
  TransportError,
} from './errors.ts';
import type { OperationRow } from './operation.ts';
import { wordsAtMost } from './plain-text.ts';
import { demandedDelayMs, header, type RateHeaders } from './retry-after.ts';
import { ErrorEnvelope } from './schemas.ts';
import { safeMessage, withoutSecrets } from './scrub.ts';
import type { HttpAnswer } from './transport.ts';

export interface DecodeContext {
  url: URL;
  rate: RateHeaders;
  nowMs: number;
  secrets: readonly string[];
}

/** Parsed body without secrets; undefined if it is not JSON. */
function bodyOf({ text }: HttpAnswer, secrets: readonly string[]): unknown {
  try {
    return withoutSecrets(JSON.parse(text), secrets);
  } catch {
    return undefined;
  }
}

/** Codes identify failures in records, exit codes and reports; anything else is treated as text. */
const codeShape = /^[A-Z0-9_]{1,64}$/;

function errorIn(body: unknown, status: number): { code: string; message: string } | null {
  const { value } = readParts(ErrorEnvelope, body);
  if (value instanceof Unreadable || value.error === undefined) return null;
  const { code, message = 'no reason given' } = value.error;
  if (codeShape.test(code)) return { code, message };
  return { code: `HTTP_${status}`, message: `${code}: ${message}` };
}

/** The platform's error code and message if readable, otherwise substitutes. */
function refusalOf(
  answer: HttpAnswer,
  { url, secrets }: DecodeContext,
): { code: string; message: string } {
  const error = errorIn(bodyOf(answer, secrets), answer.status);
  if (error !== null) return error;
  const what = isWebPage(answer) ? 'a web page (HTML)' : 'a response without the error envelope';
  // A gateway in front of the right address responds with 5xx like this too.
  const why = answer.status < 500 ? addressHint(url) : '';
  const isElsewhere = answer.status === 404 || answer.status === 405;
  const code = isElsewhere ? notTheApi : `HTTP_${answer.status}`;
  return { code, message: `${what}${why}` };
}

function isWebPage({ headers, text }: HttpAnswer): boolean {
  const type = header(headers, 'content-type') ?? '';
  return /^text\/html\b/i.test(type) || /^\s*<(?:!doctype html|html)\b/i.test(text.slice(0, 200));
}

/** A hint if the base URL lacks the version prefix; otherwise empty. */
function addressHint({ origin, pathname }: URL): string {
  const isRoot = /\/api\/v\d+\//.test(pathname);
  return isRoot ? '' : `; the base URL lacks /api/v1, as in ${origin}/api/v1`;
}

/** The target of an unexpected redirect, without its query. */
function redirectHint({ headers }: HttpAnswer, url: URL): string {
  const location = header(headers, 'location') ?? '';
  if (!URL.canParse(location, url.href)) return addressHint(url);
  const { origin, pathname } = new URL(location, url.href);
  return ` (to ${origin}${pathname})${addressHint(url)}`;
}

const requestIdAtMost = 120;

function errorOf(row: OperationRow, answer: HttpAnswer, context: DecodeContext): ApiError {
  const { rate, secrets } = context;
  const { code, message } = refusalOf(answer, context);
  const { resetInMs } = rate;
  const requestId = header(answer.headers, 'x-request-id');
  return apiError({
    status: answer.status,
    code,
    operation: row.id,
    detail: safeMessage(message, secrets, wordsAtMost),
    requestId: requestId && safeMessage(requestId, secrets, requestIdAtMost),
    retryAfterMs: demandedDelayMs(rate),
    resetAt: resetInMs === undefined ? undefined : context.nowMs + resetInMs,
  });
}

function redirectTarget(row: OperationRow, answer: HttpAnswer, context: DecodeContext) {
  const location = header(answer.headers, 'location');
  if (
    answer.status !== 302 ||
    location === undefined ||
    !URL.canParse(location, context.url.href)
  ) {
    throw new ResponseShapeError(row.id, answer.status, '', 'expected a 302 with a Location');
  }
  return { location: new URL(location, context.url).href };
}

/** The body as received. Any 2xx is a success, because the reference does not show all success statuses. */
export function decodeAnswer(
  row: OperationRow,
  answer: HttpAnswer,
  context: DecodeContext,
): unknown {
  if (answer.status >= 400) throw errorOf(row, answer, context);
  if (row.response === 'redirect') return redirectTarget(row, answer, context);
  if (answer.status >= 300 || answer.status < 200) {
    const problem = `redirects are not followed here${redirectHint(answer, context.url)}`;
    throw new ResponseShapeError(row.id, answer.status, '', safeMessage(problem, context.secrets));
  }
  if (answer.text === '' && !demands(row.response)) return null;
  const tooMuch = excessValues(answer.text, answerBounds);
  if (tooMuch !== null) {
    const problem = `${tooMuch}; ${lookThere}`;
    throw new ResponseShapeError(row.id, answer.status, '', problem);
  }
  const body = bodyOf(answer, context.secrets);
  // After a proxy's HTML page or a truncated body, it is unknown whether the platform did the work.
  if (body === undefined) {
    const page = isWebPage(answer)
      ? 'a web page (HTML) instead of JSON'
      : 'a response that is not JSON';
    const what = `${answer.text === '' ? 'an empty response' : page} (status ${answer.status})`;
    const detail = `${what}${addressHint(context.url)}`;
    throw new TransportError(row.id, 'sent', 'NOT_JSON', detail);
  }
  const tooMany = excessItems(body, limitsOf(row).items);
  if (tooMany === null) return body;
  throw new ResponseShapeError(row.id, answer.status, tooMany.path, tooMany.problem);
}

/**
 * Output of an operation, read leniently from the body of a success.
 * @throws ResponseShapeError if a needed part is unreadable
 */
export function outputOf(
  row: OperationRow,
  status: number,
  body: unknown,
): { output: unknown; oddities: readonly Oddity[] } {
  if (row.response === 'redirect') return { output: body, oddities: [] };
  const { value, oddities } = readParts(row.response, body);
  const isRead = !(value instanceof Unreadable);
  const error = isRead && demands(row.response) ? null : errorIn(body, status);
  if (error !== null) {
    const said = `expected a success, received ${error.code}: ${error.message}`;
    throw new ResponseShapeError(row.id, status, 'error', said);
  }
  if (isRead) return { output: value, oddities };
  throw new ResponseShapeError(row.id, status, value.path.join('.'), value.problem);
}
