// Tests workers during a general pause: runs pause before they list assets, and event triggers keep their events.
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { expect, test } from 'vitest';
import { assertPipelineNotPaused, waitWhilePaused } from '../../activities/run/general-pause.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';

const cause: RunCause = {
  code: 'ALL_PAUSED',
  message: 'Everything of pipeline "a" is paused',
  fix: 'renderline resume --all --pipeline a',
  kind: 'later',
};
const deps = { findGeneralPause: async (pipeline: string) => (pipeline === 'a' ? cause : null) };

test.each([
  ['a run', assertPipelineNotPaused],
  ['an event trigger', waitWhilePaused],
])('%s of another pipeline continues', async (_what, check) => {
  await expect(check({ pipeline: 'b' }, deps)).resolves.toBeUndefined();
});

test('a run is paused with the reason and the command that ends the pause', async () => {
  const refused = assertPipelineNotPaused({ pipeline: 'a' }, deps);
  await expect(refused).rejects.toMatchObject({ runCause: cause });
});

test('the error for a paused event trigger is retryable and benign', async () => {
  const error: unknown = await waitWhilePaused({ pipeline: 'a' }, deps).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ApplicationFailure);
  expect(error).toMatchObject({
    message: cause.message,
    nonRetryable: false,
    category: ApplicationFailureCategory.BENIGN,
  });
});

test.each([
  ['a run', assertPipelineNotPaused],
  ['an event trigger', waitWhilePaused],
])('%s waits while the general pause cannot be read from Temporal', async (_what, check) => {
  const findGeneralPause = async () => Promise.reject(new Error('14 UNAVAILABLE'));
  await expect(check({ pipeline: 'a' }, { findGeneralPause })).rejects.toMatchObject({
    message: 'Could not read from Temporal whether a general pause is active: 14 UNAVAILABLE',
    nonRetryable: false,
  });
});
