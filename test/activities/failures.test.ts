// Tests what an error means for Temporal: a retry, a final failure, or the end of the run (decision 003).
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { notReadyFailure, toFailure } from '../../activities/failures.ts';
import {
  BudgetWaitError,
  createApiError,
  ResponseShapeError,
  TransportError,
} from '../../src/api/errors/errors.ts';
import {
  ForbiddenAddressError,
  LinkExpiredError,
  TransferTooLargeError,
} from '../../src/api/errors/transfer-errors.ts';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { NotDeletedYetError, OutcomeUnknownError } from '../../src/engine/engine-errors.ts';
import { NoticeError } from '../../src/features/notices/send-notice.ts';
import { runCauseType } from '../../src/plan/contract/contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';

const answer = (status: number, code: string, retryAfterMs?: number) =>
  createApiError({ status, code, operation: 'createRenders', detail: 'said so', retryAfterMs });
const storage = (code: ConnectorError['code']) =>
  new ConnectorError(code, 'a.png', 'cannot write "a.png"', 'do something');
const unknown = new OutcomeUnknownError({
  operation: 'createRenders',
  createdAt: 'then',
  assets: ['a'],
});

function failureOf(error: unknown, attempt = 1): ApplicationFailure {
  const failure = toFailure(error, attempt, ['svc_key_secret']);
  if (!(failure instanceof ApplicationFailure)) throw new Error('not an application failure');
  return failure;
}

describe('an error that stops the run', () => {
  it.each<[string, unknown, RunCause['kind']]>([
    ['MISSING_API_KEY', answer(401, 'MISSING_API_KEY'), 'auth'],
    ['INVALID_API_KEY', answer(401, 'INVALID_API_KEY'), 'auth'],
    ['WORKSPACE_NOT_FOUND', answer(401, 'WORKSPACE_NOT_FOUND'), 'auth'],
    ['PLAN_LIMIT_REACHED', answer(403, 'PLAN_LIMIT_REACHED'), 'later'],
    ['STORAGE_LIMIT_REACHED', answer(403, 'STORAGE_LIMIT_REACHED'), 'later'],
    ['GEO_RESTRICTED', answer(403, 'GEO_RESTRICTED'), 'never'],
    ['DISK_FULL', storage('DISK_FULL'), 'later'],
    ['UNWRITABLE', storage('UNWRITABLE'), 'later'],
    ['RECORDS_UNREADABLE', storage('RECORDS_UNREADABLE'), 'later'],
    ['FOLDER_NOT_FOUND', storage('FOLDER_NOT_FOUND'), 'not-found'],
    ['NOT_A_FOLDER', storage('NOT_A_FOLDER'), 'not-found'],
    ['BUCKET_NOT_FOUND', storage('BUCKET_NOT_FOUND'), 'not-found'],
    ['CREDENTIALS_MISSING', storage('CREDENTIALS_MISSING'), 'auth'],
    ['CREDENTIALS_REFUSED', storage('CREDENTIALS_REFUSED'), 'auth'],
    ['ACCESS_DENIED', storage('ACCESS_DENIED'), 'auth'],
    ['CONNECTOR_MISCONFIGURED', storage('CONNECTOR_MISCONFIGURED'), 'never'],
    ['UNKNOWN_CONNECTOR', storage('UNKNOWN_CONNECTOR'), 'later'],
  ])('%s stops the run, and the cause contains a fix', (code, error, kind) => {
    const failure = failureOf(error);
    expect(failure).toMatchObject({ type: runCauseType, nonRetryable: true });
    const cause = failure.details?.[0] as RunCause;
    expect(cause).toMatchObject({ code, kind });
    expect(cause.fix).not.toBe('');
    expect(cause.message).not.toContain(cause.fix);
  });
});

it('a cause keeps its reason after a very long path', () => {
  const what = `cannot write "${'a/'.repeat(500)}" in local folder /data: no space is left (ENOSPC)`;
  const { details } = failureOf(new ConnectorError('DISK_FULL', '', what, 'free some space'));
  expect(details).toMatchObject([{ message: what }]);
});

describe('an error that is retried', () => {
  it('a 429 is retried after the delay that it demands, and does not count as an error', () => {
    const failure = failureOf(answer(429, 'RATE_LIMITED', 7_000));
    expect(failure.nonRetryable).toBe(false);
    expect(failure.category).toBe('BENIGN');
    expect(Number(failure.nextRetryDelay)).toBeGreaterThanOrEqual(7_000);
    expect(Number(failure.nextRetryDelay)).toBeLessThanOrEqual(7_700);
  });

  it.each<[string, unknown]>([
    ['a 409 for a request that is still in flight', answer(409, 'IDEMPOTENCY_CONFLICT')],
    ['a 500', answer(500, 'INTERNAL_ERROR')],
    ['a 404 of a gateway in front of the platform', answer(404, 'NOT_THE_API')],
    ['a broken connection', new TransportError('createJob', 'sent', 'ECONNRESET', 'reset')],
    ['a refused connection', new TransportError('createJob', 'connect', 'ECONNREFUSED', 'refused')],
    ['a connector that does not respond', storage('CONNECTOR_UNREACHABLE')],
    ['a wait for the budget', new BudgetWaitError(60_000, 5_000)],
    ['a receiver that does not respond', new NoticeError('it does not answer')],
    ['a temporary failure to delete an old model', new NotDeletedYetError('401', 2_000)],
  ])('%s is retried on any attempt', (_name, error) => {
    for (const attempt of [1, 5, 500]) {
      const failure = failureOf(error, attempt);
      expect(failure.nonRetryable).toBe(false);
      // A delay of 0 would end the activity.
      expect(Number(failure.nextRetryDelay)).toBeGreaterThanOrEqual(250);
    }
  });

  it.each<[string, unknown]>([
    ['an expired link', new LinkExpiredError('storage.example.com', 403)],
    ['an unexpected error', new TypeError('x is undefined')],
    ['something that is not an error', 'a string'],
  ])('%s is retried only a few times', (_name, error) => {
    expect(failureOf(error, 4).nonRetryable).toBe(false);
    expect(failureOf(error, 5).nonRetryable).toBe(true);
  });
});

describe('a final failure', () => {
  it.each<[string, unknown, string]>([
    ['a 400', answer(400, 'VALIDATION_ERROR'), 'VALIDATION_ERROR'],
    ['a 404', answer(404, 'PROJECT_NOT_FOUND'), 'PROJECT_NOT_FOUND'],
    ['a 422', answer(422, 'IDEMPOTENCY_KEY_REUSED'), 'IDEMPOTENCY_KEY_REUSED'],
    [
      'a response of the wrong shape',
      new ResponseShapeError('getJob', 200, 'status', 'missing'),
      'API_UNEXPECTED',
    ],
    ['a hostile path', storage('HOSTILE_PATH'), 'HOSTILE_PATH'],
    ['a private address', new ForbiddenAddressError('10.0.0.1', 'private'), 'ADDRESS_REFUSED'],
    ['an endless file', new TransferTooLargeError('cdn.example.com', 10), 'TransferTooLargeError'],
    ['an unknown outcome', unknown, 'OUTCOME_UNKNOWN'],
    [
      'a receiver that refuses',
      new NoticeError('it answered 410', { status: 410, retryAfterMs: 0 }),
      'NOTICE_REFUSED',
    ],
  ])('%s is a final failure', (_name, error, type) => {
    expect(failureOf(error)).toMatchObject({ type, nonRetryable: true });
  });
});

describe('messages of errors', () => {
  it('messages never contain the key or the query of a signed link', () => {
    const text = 'PUT https://s.example.com/a?signature=abc123 with svc_key_secret failed';
    const { message } = failureOf(new Error(text));
    expect(message).not.toContain('abc123');
    expect(message).not.toContain('svc_key_secret');
  });

  it('messages are short enough for the server to keep them in full', () => {
    expect(failureOf(new Error('x'.repeat(5_000))).message.length).toBeLessThanOrEqual(400);
  });
});

describe('an error that passes unchanged', () => {
  it.each([new CancelledFailure('stop'), notReadyFailure('3 assets not ready yet', 900)])(
    '%s passes unchanged',
    (error) => {
      expect(toFailure(error, 1, [])).toBe(error);
    },
  );

  it('a poll without a change is a benign failure that contains the delay until the next poll', () => {
    expect(notReadyFailure('3 assets not ready yet', 900)).toMatchObject({
      type: 'NOT_YET',
      category: 'BENIGN',
      nextRetryDelay: 900,
      nonRetryable: false,
    });
  });
});
