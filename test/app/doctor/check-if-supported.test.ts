// Tests that a check of Temporal is left out only if the server does not support it.
import { expect, it } from 'vitest';
import { checkIfSupported, ok } from '../../../src/app/doctor/health-check.ts';

const grpcError = (code: number, details = '') =>
  Object.assign(new Error('the call failed'), { code, details });

it('returns the results of the check', async () => {
  const results = [ok('deployment', 'shop: new runs go to 7')];
  expect(await checkIfSupported('deployment', () => Promise.resolve(results))).toBe(results);
});

it.each([
  ['the server has no deployments', grpcError(12)],
  ['the server has no search', grpcError(3)],
  ['another error', new Error('no such thing')],
])('is left out: %s', async (_why, error) => {
  expect(await checkIfSupported('deployment', () => Promise.reject(error))).toEqual([]);
});

it.each([
  ['is slow', grpcError(4), 'no response in time'],
  ['is overloaded', grpcError(8, 'too many requests'), 'too many requests'],
  ['is away', new Error('wrapped', { cause: grpcError(14, 'no connection') }), 'no connection'],
])('says that the result is not known if the server %s', async (_why, error, reason) => {
  expect(await checkIfSupported('deployment', () => Promise.reject(error))).toEqual([
    {
      name: 'deployment',
      state: 'warn',
      message: `not known, because Temporal does not respond: ${reason}`,
      fix: 'Check again when the server is less busy: renderline doctor',
      exit: 0,
    },
  ]);
});
