// Decides when a request may be sent again, and after how long. Pure: callers do the waiting.
import { apiCauses } from './api-causes.ts';
import {
  ApiError,
  BudgetWaitError,
  ConflictError,
  KeyReusedError,
  RateLimitedError,
  RequestShapeError,
  ResponseShapeError,
  TransportError,
} from './errors.ts';
import { clampDelayMs } from './retry-after.ts';
import { OperationUnresolvedError } from './route-errors.ts';
import { ForbiddenAddressError, TransferTooLargeError } from './transfer-errors.ts';

/** Why a run as a whole stops submitting, in words for people. */
interface CauseOfRun {
  code: string;
  message: string;
  fix: string;
  kind: 'auth' | 'later' | 'never';
}

/**
 * - `rate`: the allowance is spent; same request after `delayMs`, without using up an attempt.
 * - `again-soon`: the first request with this key still runs; same key and bytes after `delayMs`.
 * - `backoff`: server or network trouble; same key and bytes after `backoffMs(attempt)`.
 * - `never`: the request itself is wrong, or the answer cannot be understood.
 * - `run-cause`: every request of the run would fail alike; the run pauses with `cause`.
 */
export type RetryAnswer =
  | { kind: 'rate' | 'again-soon'; delayMs: number }
  | { kind: 'backoff' }
  | { kind: 'never' }
  | { kind: 'run-cause'; cause: CauseOfRun };

type CauseCode = keyof typeof apiCauses;

function runCause(error: unknown): CauseOfRun | undefined {
  if (error instanceof OperationUnresolvedError) return inWords('OPERATION_UNRESOLVED', error);
  if (!(error instanceof ApiError)) return undefined;
  const { code, status } = error;
  if (isCauseCode(code) && (status === 401 || status === 403)) return inWords(code, error);
  return status === 401 ? { ...inWords('INVALID_API_KEY', error), code } : undefined;
}

function isCauseCode(code: string): code is CauseCode {
  return Object.hasOwn(apiCauses, code);
}

function inWords(code: CauseCode, { message }: Error): CauseOfRun {
  const { fix, stops: kind } = apiCauses[code];
  return { code, message, fix, kind };
}

const transientStatuses = new Set([408, 425]);

/** By what an error says of the work (platform.md, section 7). `random` gives [0, 1). */
export function classify(error: unknown, random: () => number = Math.random): RetryAnswer {
  const cause = runCause(error);
  if (cause) return { kind: 'run-cause', cause };
  if (error instanceof RateLimitedError || error instanceof BudgetWaitError) {
    const base = error.retryAfterMs ?? 10_000;
    return { kind: 'rate', delayMs: clampDelayMs(base * (1 + 0.1 * random())) };
  }
  if (error instanceof ConflictError) {
    return { kind: 'again-soon', delayMs: Math.round(1000 + 4000 * random()) };
  }
  if (error instanceof TransportError) return { kind: 'backoff' };
  if (error instanceof ApiError && (error.status >= 500 || transientStatuses.has(error.status))) {
    return { kind: 'backoff' };
  }
  return { kind: 'never' };
}

const foreseen = [
  ApiError,
  RequestShapeError,
  ResponseShapeError,
  ForbiddenAddressError,
  TransferTooLargeError,
];

/** True for errors of class `never` that are known to be final; unknown errors of that class may pass. */
export function isForeseen(error: unknown): boolean {
  return foreseen.some((kind) => error instanceof kind);
}

/**
 * The work that the platform may have done for a request that ended with an error:
 * - `nothing`: it refused, or never saw the request.
 * - `perhaps`: it failed, or a gateway did, or the answer was lost or cannot be read. A key remembers no 5xx answer
 *   (platform.md, section 8), so the same request may do its work again.
 * - `unknown`: the error does not tell: the caller has given up, or another request with the key still runs.
 */
export function workOf(error: unknown): 'nothing' | 'perhaps' | 'unknown' {
  if (error instanceof TransportError) return error.phase === 'connect' ? 'nothing' : 'perhaps';
  if (error instanceof ResponseShapeError) return 'perhaps';
  if (error instanceof ConflictError || error instanceof KeyReusedError) return 'unknown';
  if (error instanceof ApiError) {
    return error.status >= 500 || error.status === 408 ? 'perhaps' : 'nothing';
  }
  const unsent = [RequestShapeError, BudgetWaitError, OperationUnresolvedError];
  return unsent.some((kind) => error instanceof kind) ? 'nothing' : 'unknown';
}

/** Full jitter: between the floor and 0.5 s doubled per attempt, at most 20 s. `attempt` counts from 1. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const ceilingMs = Math.min(20_000, 500 * 2 ** Math.max(0, attempt - 1));
  return Math.round(clampDelayMs(ceilingMs * random()));
}
