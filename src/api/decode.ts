// An HTTP answer becomes the operation's output, or the error that says what was wrong with it.
import { type ApiError, apiError, ResponseShapeError, TransportError } from './errors.ts';
import type { OperationRow } from './operation.ts';
import { demandedDelayMs, header, type RateHeaders } from './retry-after.ts';
import { ErrorEnvelope } from './schemas.ts';
import { safeMessage } from './scrub.ts';
import type { HttpAnswer } from './transport.ts';

export interface Decoded {
  /** Parsed by the row's schema: fields the contract does not name are gone. */
  output: unknown;
  /** The body as it came. */
  raw: unknown;
}

export interface DecodeContext {
  url: URL;
  rate: RateHeaders;
  nowMs: number;
  secrets: readonly string[];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(row: OperationRow, answer: HttpAnswer, context: DecodeContext): ApiError {
  const envelope = ErrorEnvelope.safeParse(parseJson(answer.text));
  const { code, message } = envelope.success
    ? envelope.data.error
    : { code: `HTTP_${answer.status}`, message: 'an answer without the error envelope' };
  const { resetInMs } = context.rate;
  return apiError({
    status: answer.status,
    code,
    operation: row.id,
    detail: safeMessage(message, context.secrets),
    requestId: header(answer.headers, 'x-request-id'),
    retryAfterMs: demandedDelayMs(context.rate),
    resetAt: resetInMs === undefined ? undefined : context.nowMs + resetInMs,
  });
}

function redirectTarget(row: OperationRow, answer: HttpAnswer, context: DecodeContext): Decoded {
  const location = header(answer.headers, 'location');
  if (
    answer.status !== 302 ||
    location === undefined ||
    !URL.canParse(location, context.url.href)
  ) {
    throw new ResponseShapeError(row.id, answer.status, '', 'a 302 with a Location is expected');
  }
  const output = { location: new URL(location, context.url).href };
  return { output, raw: output };
}

/** Any 2xx counts as success: several success statuses are not shown in the document. */
export function decodeAnswer(
  row: OperationRow,
  answer: HttpAnswer,
  context: DecodeContext,
): Decoded {
  if (answer.status >= 400) throw errorOf(row, answer, context);
  if (row.response === 'redirect') return redirectTarget(row, answer, context);
  if (answer.status >= 300 || answer.status < 200) {
    throw new ResponseShapeError(row.id, answer.status, '', 'redirects are not followed here');
  }
  if (answer.text === '' && row.response.safeParse(undefined).success) {
    return { output: undefined, raw: null };
  }
  const raw = parseJson(answer.text);
  // A proxy's HTML page or a cut-off body says nothing about what the platform did.
  if (raw === undefined) {
    const detail = answer.text === '' ? 'an empty answer' : 'an answer that is not JSON';
    throw new TransportError(row.id, 'sent', 'NOT_JSON', `${detail} (status ${answer.status})`);
  }
  const parsed = row.response.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue?.path.map(String).join('.') ?? '';
    throw new ResponseShapeError(row.id, answer.status, path, issue?.message ?? 'invalid');
  }
  return { output: parsed.data, raw };
}
