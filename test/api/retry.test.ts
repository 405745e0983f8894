import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes } from '../../src/api/contract/error-codes.ts';
import {
  ApiError,
  BudgetWaitError,
  ConflictError,
  createApiError,
  KeyReusedError,
  NotFoundError,
  RateLimitedError,
  RequestShapeError,
  ResponseShapeError,
  TransportError,
} from '../../src/api/errors/errors.ts';
import { classify, computeBackoffMs, outcomeOfError } from '../../src/api/errors/retry.ts';
import { OperationUnresolvedError } from '../../src/api/errors/route-errors.ts';
import { LinkExpiredError, SourceChangedError } from '../../src/api/errors/transfer-errors.ts';

function answered(status: number, code: string, retryAfterMs?: number) {
  return createApiError({
    status,
    code,
    operation: 'createRenders',
    detail: 'words',
    retryAfterMs,
  });
}

/** The retry decision for each code of platform.md, section 7. */
const expectedKinds: Record<ErrorCode, string> = {
  MISSING_API_KEY: 'run-cause',
  INVALID_API_KEY: 'run-cause',
  WORKSPACE_NOT_FOUND: 'run-cause',
  VALIDATION_ERROR: 'never',
  INVALID_STATUS: 'never',
  FILE_NOT_UPLOADED: 'never',
  GEO_RESTRICTED: 'run-cause',
  PLAN_LIMIT_REACHED: 'run-cause',
  STORAGE_LIMIT_REACHED: 'run-cause',
  MODEL_NOT_FOUND: 'never',
  PROJECT_NOT_FOUND: 'never',
  TEMPLATE_NOT_FOUND: 'never',
  JOB_NOT_FOUND: 'never',
  RENDER_JOB_NOT_FOUND: 'never',
  NOT_FOUND: 'never',
  NO_FILE: 'never',
  IDEMPOTENCY_CONFLICT: 'retry-soon',
  MODEL_FILE_TOO_LARGE: 'never',
  IDEMPOTENCY_KEY_REUSED: 'never',
  RATE_LIMITED: 'rate',
  INTERNAL_ERROR: 'backoff',
};

describe('retries by class', () => {
  it.each(Object.entries(expectedKinds))('the code %s has the retry class %s', (code, kind) => {
    const { status } = errorCodes[code as ErrorCode];
    expect(classify(answered(status, code)).kind).toBe(kind);
  });

  it.each([
    [502, 'backoff'],
    [503, 'backoff'],
    [504, 'backoff'],
    [408, 'backoff'],
    [499, 'backoff'],
    [425, 'backoff'],
    [403, 'never'],
    [405, 'never'],
    [418, 'never'],
  ])('the status %i without a known code has the retry class %s', (status, kind) => {
    expect(classify(answered(status, `HTTP_${status}`)).kind).toBe(kind);
  });

  it.each([
    [
      'a refused connection',
      new TransportError('getMe', 'connect', 'ECONNREFUSED', 'x'),
      'backoff',
    ],
    ['a broken connection', new TransportError('getMe', 'sent', 'ECONNRESET', 'x'), 'backoff'],
    ['a wait for the budget', new BudgetWaitError(1000, 5000), 'rate'],
    ['a response without a field', new ResponseShapeError('getMe', 200, 'a', 'missing'), 'never'],
    [
      'input that does not match the schema',
      new RequestShapeError('getMe', 'body', 'missing'),
      'never',
    ],
    ['an operation without a path', new OperationUnresolvedError('x', 'GET /x', 'y'), 'run-cause'],
    ['an expired link', new LinkExpiredError('store', 403), 'never'],
    ['a changed source', new SourceChangedError('a.glb', 'since'), 'never'],
    ['a bug', new TypeError('undefined is not a function'), 'never'],
    ['a thrown value that is not an error', 'oops', 'never'],
  ])('classify() returns the retry class of %s', (_, error, kind) => {
    expect(classify(error).kind).toBe(kind);
  });
});

describe('delays', () => {
  it.each([
    ['at least the delay that the platform demands', 8000, 0, 8000],
    ['up to a tenth longer', 8000, 0.99, 8792],
    ['ten seconds if the platform demands none', undefined, 0, 10_000],
    ['at most two minutes', 120_000, 0.99, 120_000],
  ])('the delay after a 429 is %s', (_, retryAfterMs, random, expected) => {
    const answer = classify(answered(429, 'RATE_LIMITED', retryAfterMs), () => random);
    expect(answer).toEqual({ kind: 'rate', delayMs: expected });
  });

  it('the delay after a 409 is one to five seconds', () => {
    const conflict = answered(409, 'IDEMPOTENCY_CONFLICT');
    expect(classify(conflict, () => 0)).toEqual({ kind: 'retry-soon', delayMs: 1000 });
    expect(classify(conflict, () => 1)).toEqual({ kind: 'retry-soon', delayMs: 5000 });
  });

  it.each([
    [1, 500],
    [2, 1000],
    [5, 8000],
    [7, 20_000],
    [500, 20_000],
  ])('the backoff of attempt %i is at most %i ms, and at least 250 ms', (attempt, ceilingMs) => {
    expect(computeBackoffMs(attempt, () => 1)).toBe(ceilingMs);
    expect(computeBackoffMs(attempt, () => 0)).toBe(250);
  });
});

describe('causes of a run', () => {
  it.each([
    [401, 'INVALID_API_KEY', 'auth', 'RENDERLINE_API_KEY'],
    [401, 'HTTP_401', 'auth', 'RENDERLINE_API_KEY'],
    [402, 'OUT_OF_CREDITS', 'later', 'usage'],
    [403, 'PLAN_LIMIT_REACHED', 'later', 'plan'],
    [403, 'STORAGE_LIMIT_REACHED', 'later', 'clean'],
    [403, 'GEO_RESTRICTED', 'never', 'location'],
  ])(
    'the response %i %s becomes a cause of the kind %s that contains a fix',
    (status, code, kind, word) => {
      const answer = classify(answered(status, code));
      expect(answer).toMatchObject({ cause: { code, kind } });
      expect(answer.kind === 'run-cause' && answer.cause.fix).toContain(word);
    },
  );

  it('the error for an unresolved operation contains the lines to add and the name of the file to change', () => {
    const error = new OperationUnresolvedError('getTemplate', 'GET /templates/{templateId}', 'no');
    const answer = classify(error);
    expect(answer).toMatchObject({
      cause: {
        message: expect.stringContaining(
          "operations:\n  getTemplate: 'GET /templates/{templateId}'",
        ) as string,
        fix: expect.stringContaining('renderline.yaml') as string,
      },
    });
  });
});

describe('error classes', () => {
  it.each([
    [401, 'INVALID_API_KEY', ApiError],
    [404, 'MODEL_NOT_FOUND', NotFoundError],
    [410, 'MODEL_NOT_FOUND', NotFoundError],
    [409, 'IDEMPOTENCY_CONFLICT', ConflictError],
    [422, 'IDEMPOTENCY_KEY_REUSED', KeyReusedError],
    [429, 'RATE_LIMITED', RateLimitedError],
  ])('the response %i %s becomes an error of its own class', (status, code, type) => {
    const error = answered(status, code);
    expect(error).toBeInstanceOf(type);
    expect(error.name).toBe(type.name);
    expect(error).toMatchObject({ status, code, operation: 'createRenders', detail: 'words' });
  });
});

describe('the outcome of a failed request', () => {
  it.each([
    ['500', answered(500, 'INTERNAL_ERROR'), 'perhaps'],
    ['502', answered(502, 'HTTP_502'), 'perhaps'],
    ['503', answered(503, 'HTTP_503'), 'perhaps'],
    ['504', answered(504, 'HTTP_504'), 'perhaps'],
    ['408', answered(408, 'HTTP_408'), 'perhaps'],
    ['499', answered(499, 'HTTP_499'), 'perhaps'],
    ['a broken connection', new TransportError('x', 'sent', 'ECONNRESET', 'x'), 'perhaps'],
    ['a deadline', new TransportError('x', 'sent', 'DEADLINE', 'x'), 'perhaps'],
    ['a truncated response', new TransportError('x', 'sent', 'NOT_JSON', 'x'), 'perhaps'],
    ['a response without a field', new ResponseShapeError('x', 200, 'a', 'missing'), 'perhaps'],
    ['no connection', new TransportError('x', 'connect', 'ECONNREFUSED', 'x'), 'nothing'],
    ['a refusal', answered(400, 'VALIDATION_ERROR'), 'nothing'],
    ['a wrong key', answered(401, 'INVALID_API_KEY'), 'nothing'],
    ['a reached plan limit', answered(403, 'PLAN_LIMIT_REACHED'), 'nothing'],
    ['a spent allowance', answered(429, 'RATE_LIMITED'), 'nothing'],
    ['425', answered(425, 'HTTP_425'), 'nothing'],
    ['a wait for the budget', new BudgetWaitError(1000, 5000), 'nothing'],
    [
      'input that does not match the schema',
      new RequestShapeError('x', 'body', 'missing'),
      'nothing',
    ],
    ['an unknown path', new OperationUnresolvedError('x', 'GET /x', 'y'), 'nothing'],
    ['an idempotency key in flight', answered(409, 'IDEMPOTENCY_CONFLICT'), 'unknown'],
    ['a reused key', answered(422, 'IDEMPOTENCY_KEY_REUSED'), 'unknown'],
    ['a worker shutdown', new Error('shutdown'), 'unknown'],
  ])('outcomeOfError() returns what may have been done after %s', (_name, error, work) => {
    expect(outcomeOfError(error)).toBe(work);
  });
});
