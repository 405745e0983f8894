// Tests what the error of a failed activity contains: the cause of the whole run, or the code and message of its
// assets.
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, it, test } from 'vitest';
import { runCauseType } from '../../src/plan/contract/contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import { asCancellation, assetFailureOf, findRunCause } from '../../workflows/failures.ts';

const stop: RunCause = { code: 'UNAUTHORIZED', message: 'no key', fix: 'Add it', kind: 'auth' };
const thrown = (type: string | null, message: string, details: unknown[] = []) =>
  ApplicationFailure.create({ ...(type ? { type } : {}), message, details, nonRetryable: true });
const ofActivity = (
  cause: Error,
  retryState: ActivityFailure['retryState'] = 'NON_RETRYABLE_FAILURE',
) => new ActivityFailure('activity failed', 'render', '1', retryState, 'worker', cause);

describe('the cause that affects the whole run', () => {
  test.each<[string, unknown, RunCause | null]>([
    ['is that of an error in an activity', ofActivity(thrown(runCauseType, 'stop', [stop])), stop],
    ['is that of an error in the workflow', thrown(runCauseType, 'stop', [stop]), stop],
    ['is null without details', thrown(runCauseType, 'stop'), null],
    ['is null for a failure of another type', ofActivity(thrown('RENDER', 'no', [stop])), null],
    ['is null for another error', new Error(runCauseType), null],
    ['is null for a value that is not an error', null, null],
  ])('the cause of the whole run %s', (_, error, cause) =>
    expect(findRunCause(error)).toEqual(cause),
  );
});

describe('the failure of each asset', () => {
  const late = new TimeoutFailure('late', null, 'START_TO_CLOSE');
  test.each<[string, unknown, { code: string; message: string }]>([
    [
      'contains the code and message of the activity',
      ofActivity(thrown('RENDER_FAILED', 'out of light')),
      { code: 'RENDER_FAILED', message: 'out of light' },
    ],
    [
      'contains a default code',
      ofActivity(thrown(null, 'out of light')),
      { code: 'ACTIVITY_FAILED', message: 'out of light' },
    ],
    [
      'states which timeout expired',
      ofActivity(late),
      { code: 'TIMED_OUT', message: 'the step did not finish in time (START_TO_CLOSE)' },
    ],
    [
      'contains the name and message of any other error',
      new TypeError('no such thing'),
      { code: 'ACTIVITY_FAILED', message: 'TypeError: no such thing' },
    ],
  ])('the failure of an asset %s', (_, error, failure) =>
    expect(assetFailureOf(error)).toEqual(failure),
  );

  it.each([
    ['of an activity', ofActivity(thrown('X', 'x'.repeat(1_000)))],
    ['of any error', new Error('x'.repeat(1_000))],
  ])("the message of an asset's failure is truncated to 400 characters: %s", (_, error) => {
    expect(assetFailureOf(error).message).toHaveLength(400);
  });
});

test.each([
  ['of an activity', ofActivity(thrown('X', 'x'))],
  ['after all its attempts', ofActivity(thrown('X', 'x'), 'MAXIMUM_ATTEMPTS_REACHED')],
  ['of the workflow', thrown('X', 'x')],
])('a failure %s is not a cancellation', (_, error) => expect(asCancellation(error)).toBe(error));
