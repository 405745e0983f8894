// The text of a failed workflow task in a worker's health, from the SDK's log line.
import { expect, test } from 'vitest';
import { formatSdkFailure } from '../../../src/app/worker/run-worker.ts';

test.each([
  ['a message', 'Failure { message: "no such step", source: "" }', 'no such step'],
  [
    'a message with quotes',
    'Failure { message: "no \\"x\\" here", source: "" }',
    'no \\"x\\" here',
  ],
  ['other text', 'Nondeterminism', 'Nondeterminism'],
])('%s is extracted', (_what, failure, expected) => {
  expect(formatSdkFailure({ failure })).toBe(expected);
});
