// What the error of a failed activity says: the cause of the whole run, or the code and message of its assets.
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, it, test } from 'vitest';
import { runCauseType } from '../../src/plan/contract/contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import { asCancellation, assetFailureOf, runCauseOf } from '../../workflows/failures.ts';

const stop: RunCause = { code: 'UNAUTHORIZED', message: 'no key', fix: 'Add it', kind: 'auth' };
const thrown = (type: string | null, message: string, details: unknown[] = []) =>
  ApplicationFailure.create({ ...(type ? { type } : {}), message, details, nonRetryable: true });
const ofActivity = (
  cause: Error,
  retryState: ActivityFailure['retryState'] = 'NON_RETRYABLE_FAILURE',
) => new ActivityFailure('activity failed', 'render', '1', retryState, 'worker', cause);

describe('the cause of the whole run', () => {
  test.each<[string, unknown, RunCause | null]>([
    ['is what an activity carries', ofActivity(thrown(runCauseType, 'stop', [stop])), stop],
    ['also where the workflow throws it', thrown(runCauseType, 'stop', [stop]), stop],
    ['is none where nothing is carried', thrown(runCauseType, 'stop'), null],
    ['is none of a failure of another type', ofActivity(thrown('RENDER', 'no', [stop])), null],
    ['is none of an error of another kind', new Error(runCauseType), null],
    ['is none of what is no error', null, null],
  ])('%s', (_, error, cause) => expect(runCauseOf(error)).toEqual(cause));
});

describe('the failure of each asset', () => {
  const late = new TimeoutFailure('late', null, 'START_TO_CLOSE');
  test.each<[string, unknown, { code: string; message: string }]>([
    [
      'is that of the activity',
      ofActivity(thrown('RENDER_FAILED', 'out of light')),
      { code: 'RENDER_FAILED', message: 'out of light' },
    ],
    [
      'has a code in any case',
      ofActivity(thrown(null, 'out of light')),
      { code: 'ACTIVITY_FAILED', message: 'out of light' },
    ],
    [
      'tells which time was up',
      ofActivity(late),
      { code: 'TIMED_OUT', message: 'the step did not finish in time (START_TO_CLOSE)' },
    ],
    [
      'is what can be said of any error',
      new TypeError('no such thing'),
      { code: 'ACTIVITY_FAILED', message: 'TypeError: no such thing' },
    ],
  ])('%s', (_, error, failure) => expect(assetFailureOf(error)).toEqual(failure));

  it.each([
    ['of an activity', ofActivity(thrown('X', 'x'.repeat(1_000)))],
    ['of any error', new Error('x'.repeat(1_000))],
  ])('has a message of four hundred characters at most, %s', (_, error) => {
    expect(assetFailureOf(error).message).toHaveLength(400);
  });
});

test.each([
  ['of its own', ofActivity(thrown('X', 'x'))],
  ['after all its attempts', ofActivity(thrown('X', 'x'), 'MAXIMUM_ATTEMPTS_REACHED')],
  ['of the workflow', thrown('X', 'x')],
])('a failure %s is no cancel', (_, error) => expect(asCancellation(error)).toBe(error));
