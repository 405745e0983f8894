// Errors of a single API request: one class per kind that callers treat differently.
import type { ErrorCode } from '../contract/error-codes.ts';

/** Content of an error response. `code` may be any string, because the platform may add codes. */
export interface ApiErrorFacts {
  status: number;
  code: ErrorCode | (string & {});
  operation: string;
  detail: string;
  requestId?: string | undefined;
  /** Delay that the response requests, in ms after its arrival, within limits. */
  retryAfterMs?: number | undefined;
}

/** The platform responded with an error. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly operation: string;
  /** The platform's own message. */
  readonly detail: string;
  /** The platform's own id of the request. Undefined if the response had none. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(facts: ApiErrorFacts) {
    const request = facts.requestId === undefined ? '' : ` (request ${facts.requestId})`;
    super(`${facts.operation}: ${facts.status} ${facts.code}: ${facts.detail}${request}`);
    this.status = facts.status;
    this.code = facts.code;
    this.operation = facts.operation;
    this.detail = facts.detail;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** 404 or 410: the requested resource does not exist or is not accessible. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/** 409: the first request with this Idempotency-Key is still running. This is not a failure. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}

/** 422: this Idempotency-Key was used with another endpoint or body. */
export class KeyReusedError extends ApiError {
  override name = 'KeyReusedError';
}

/** 429: the allowance of the key is spent. */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError';
}

/** Code of a 404, 405 or 410 without a platform code. Another server responded, so nothing is known to be missing. */
export const notTheApi = 'NOT_THE_API';

export function createApiError(facts: ApiErrorFacts): ApiError {
  const { status, code } = facts;
  if ((status === 404 || status === 410) && code !== notTheApi) return new NotFoundError(facts);
  if (status === 409) return new ConflictError(facts);
  if (code === 'IDEMPOTENCY_KEY_REUSED') return new KeyReusedError(facts);
  if (status === 429) return new RateLimitedError(facts);
  return new ApiError(facts);
}

/** `connect`: the platform has certainly not received the request. `sent`: the outcome is unknown. */
export type TransportPhase = 'connect' | 'sent';

/** No usable response: a broken connection, a timeout, a body that is not JSON, or a temporary error of the storage. */
export class TransportError extends Error {
  override name = 'TransportError';
  readonly operation: string;
  readonly phase: TransportPhase;
  /** Error code of the system or the HTTP library, or NOT_JSON, DEADLINE, HTTP_503 and the like. */
  readonly code: string;

  constructor(operation: string, phase: TransportPhase, code: string, detail: string) {
    const outcome = phase === 'connect' ? 'the request was not sent' : 'the outcome is unknown';
    super(`${operation}: ${detail} (${code}; ${outcome})`);
    this.operation = operation;
    this.phase = phase;
    this.code = code;
  }
}

/** Code of failures caused by an unreadable response. */
export const unreadableCode = 'API_UNEXPECTED';

/** A response with a status below 400 is unusable, for example because it is too large or lacks a required part. */
export class ResponseShapeError extends Error {
  override name = 'ResponseShapeError';
  readonly code = unreadableCode;
  readonly operation: string;
  /** Path in the body, for example `models.0.modelId`. Empty if the problem concerns the whole response. */
  readonly path: string;
  readonly problem: string;

  constructor(operation: string, status: number, path: string, problem: string) {
    const location = path === '' ? 'the response' : `"${path}" of the response`;
    super(
      `${operation}: ${location} (status ${status}) does not match the platform's reference: ${problem}`,
    );
    this.operation = operation;
    this.path = path;
    this.problem = problem;
  }
}

/** The caller's input is invalid for the operation. Nothing was sent. */
export class RequestShapeError extends Error {
  override name = 'RequestShapeError';
  readonly operation: string;

  constructor(operation: string, path: string, problem: string) {
    super(`${operation}: input "${path}": ${problem}`);
    this.operation = operation;
  }
}

/** A request has waited for the rate budget longer than its caller allows. Nothing was sent. */
export class BudgetWaitError extends Error {
  override name = 'BudgetWaitError';
  readonly retryAfterMs: number;

  constructor(waitMs: number, retryAfterMs: number) {
    super(
      `waited ${Math.round(waitMs / 1000)} s for the rate limit of the API key; no request was sent`,
    );
    this.retryAfterMs = retryAfterMs;
  }
}
