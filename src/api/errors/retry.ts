// Decides whether and when a failed request may be retried. Pure: the callers do the waiting.
import { apiCauses } from './api-causes.ts';
import {
  ApiError,
  BudgetWaitError,
  ConflictError,
  KeyReusedError,
  notTheApi,
  RateLimitedError,
  RequestShapeError,
  ResponseShapeError,
  TransportError,
} from './errors.ts';
import { clampDelayMs } from './retry-after.ts';
import { OperationUnresolvedError } from './route-errors.ts';
import { ForbiddenAddressError, TransferTooLargeError } from './transfer-errors.ts';

/** Why a whole run stops submitting, as text for people. */
interface ApiRunCause {
  code: string;
  message: string;
  fix: string;
  kind: 'auth' | 'later' | 'never';
}

/**
 * - `rate`: the allowance is spent. Retry after `delayMs`, without counting an attempt.
 * - `retry-soon`: the first request with this key is still running. Retry with the same key and bytes after `delayMs`.
 * - `backoff`: a server or network error; retry with the same key and bytes after `computeBackoffMs(attempt)`.
 * - `never`: the request itself is wrong, the response is unreadable, or the error is of an unknown kind.
 * - `run-cause`: every request of the run would fail in the same way; the run pauses with `cause`.
 */
export type RetryDecision =
  | { kind: 'rate' | 'retry-soon'; delayMs: number }
  | { kind: 'backoff' | 'never' }
  | { kind: 'run-cause'; cause: ApiRunCause };

type CauseCode = keyof typeof apiCauses;

/** Causes of responses with an unknown code, by status. */
export const causeOfStatus: Readonly<Record<number, CauseCode | undefined>> = {
  401: 'INVALID_API_KEY',
  402: 'PAYMENT_REQUIRED',
};

function runCause(error: unknown): ApiRunCause | undefined {
  if (error instanceof OperationUnresolvedError) return toCause('OPERATION_UNRESOLVED', error);
  if (!(error instanceof ApiError)) return undefined;
  const { code, status } = error;
  if (isCauseCode(code) && (status === 401 || status === 403)) return toCause(code, error);
  const cause = causeOfStatus[status];
  return cause && { ...toCause(cause, error), code };
}

function isCauseCode(code: string): code is CauseCode {
  return Object.hasOwn(apiCauses, code);
}

function toCause(code: CauseCode, { message }: Error): ApiRunCause {
  const { fix, stops: kind } = apiCauses[code];
  return { code, message, fix, kind };
}

/** A gateway sends 499 for a request that was cancelled on the way. */
const transientStatuses = new Set([408, 425, 499]);

/** Determines how to retry after an error. @param random returns a number in [0, 1) */
export function classify(error: unknown, random: () => number = Math.random): RetryDecision {
  const cause = runCause(error);
  if (cause) return { kind: 'run-cause', cause };
  if (error instanceof RateLimitedError || error instanceof BudgetWaitError) {
    const base = error.retryAfterMs ?? 10_000;
    return { kind: 'rate', delayMs: clampDelayMs(base * (1 + 0.1 * random())) };
  }
  if (error instanceof ConflictError) {
    return { kind: 'retry-soon', delayMs: Math.round(1000 + 4000 * random()) };
  }
  if (error instanceof TransportError) return { kind: 'backoff' };
  if (error instanceof ApiError) {
    const { status, code } = error;
    // A gateway also knows no route while the platform behind it is restarted.
    const isTransient = status >= 500 || transientStatuses.has(status) || code === notTheApi;
    if (isTransient) return { kind: 'backoff' };
  }
  return { kind: 'never' };
}

const finalErrors = [
  ApiError,
  RequestShapeError,
  ResponseShapeError,
  ForbiddenAddressError,
  TransferTooLargeError,
];

/** True for `never` errors that are known to be final. Unknown errors are also `never`, but may be temporary. */
export function isFinalError(error: unknown): boolean {
  return finalErrors.some((kind) => error instanceof kind);
}

/**
 * Whether the platform may have done the work of a request that ended with an error:
 * - `nothing`: the platform refused the request or never received it.
 * - `perhaps`: the platform or a gateway failed, or the response was lost or unreadable. A key does not replay a 5xx
 *   response, so sending the same request may repeat its work.
 * - `unknown`: the error does not tell, for example because the idempotency key is in use or was reused.
 */
export function outcomeOfError(error: unknown): 'nothing' | 'perhaps' | 'unknown' {
  if (error instanceof TransportError) return error.phase === 'connect' ? 'nothing' : 'perhaps';
  if (error instanceof ResponseShapeError) return 'perhaps';
  if (error instanceof ConflictError || error instanceof KeyReusedError) return 'unknown';
  if (error instanceof ApiError) {
    return error.status >= 499 || error.status === 408 ? 'perhaps' : 'nothing';
  }
  const unsent = [RequestShapeError, BudgetWaitError, OperationUnresolvedError];
  return unsent.some((kind) => error instanceof kind) ? 'nothing' : 'unknown';
}

/** Returns a random delay from 250 ms to 0.5 s × 2^(attempt − 1), at most 20 s. `attempt` counts from 1. */
export function computeBackoffMs(attempt: number, random: () => number = Math.random): number {
  const ceilingMs = Math.min(20_000, 500 * 2 ** Math.max(0, attempt - 1));
  return Math.round(clampDelayMs(ceilingMs * random()));
}
