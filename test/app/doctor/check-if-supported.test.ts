// Tests that a check of Temporal is left out only if the server does not support it.
import { expect, it } from 'vitest';
import { checkIfSupported, createPassedCheck } from '../../../src/app/doctor/health-check.ts';
import { CodecKeyMissingError } from '../../../src/temporal/codec/codec-errors.ts';

const grpcError = (code: number, details = '') =>
  Object.assign(new Error('the call failed'), { code, details });

it('the results of the check are returned', async () => {
  const results = [createPassedCheck('deployment', 'shop: new runs go to 7')];
  expect(await checkIfSupported('deployment', () => Promise.resolve(results))).toBe(results);
});

it.each([
  ['the server does not support deployments', grpcError(12)],
  ['the server does not support the search', grpcError(3)],
])('the check is left out if %s', async (_why, error) => {
  expect(await checkIfSupported('deployment', () => Promise.reject(error))).toEqual([]);
});

const laterFix = 'Check again when the server is less busy: renderline doctor';

it.each([
  ['the server is slow', grpcError(4, 'no response'), 'Temporal: no response', laterFix],
  ['the server is overloaded', grpcError(8, 'too many'), 'Temporal: too many', laterFix],
  [
    'there is no server',
    new Error('x', { cause: grpcError(14, 'away') }),
    'Temporal: away',
    laterFix,
  ],
  ['a read is not permitted', grpcError(7, 'no right'), 'Temporal: no right', 'TEMPORAL_API_KEY'],
  ['a key is missing', new CodecKeyMissingError('new', []), 'key "new"', 'export RENDERLINE_CODEC'],
  ['another error occurs', new Error('no such thing'), 'no such thing', 'RENDERLINE_LOG'],
])('an unknown result is reported if %s', async (_why, error, reason, fix) => {
  expect(await checkIfSupported('deployment', () => Promise.reject(error))).toEqual([
    {
      name: 'deployment',
      state: 'warn',
      message: expect.stringMatching(new RegExp(`^unknown: .*${reason}`)),
      fix: expect.stringContaining(fix),
      exit: 0,
    },
  ]);
});
