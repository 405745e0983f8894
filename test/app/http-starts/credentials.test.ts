// Credentials of callers: which variables count, and how unusable ones are reported without their values.
import { describe, expect, test } from 'vitest';
import { readCredentials } from '../../../src/app/http-starts/credentials.ts';

const long = 'v'.repeat(32);
const read = (names: string[], env: Record<string, string>) =>
  readCredentials({ pipeline: 'shop', secretFrom: names, tokenFrom: [] }, env);

test('several credentials of both kinds are accepted together', () => {
  const env = {
    RENDERLINE_SECRET_A: long,
    RENDERLINE_SECRET_B: long,
    TOKEN: long,
    RENDERLINE_ALLOW_SECRETS: 'TOKEN',
  };
  const names = {
    secretFrom: ['RENDERLINE_SECRET_A', 'RENDERLINE_SECRET_B'],
    tokenFrom: ['TOKEN'],
  };
  const { credentials, problems } = readCredentials({ pipeline: 'shop', ...names }, env);
  expect(credentials.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'secret RENDERLINE_SECRET_A',
    'secret RENDERLINE_SECRET_B',
    'token TOKEN',
  ]);
  expect(problems).toEqual([]);
});

describe('a credential that cannot be used', () => {
  test.each<[string, string, Record<string, string>, RegExp]>([
    [
      'if its variable is not set',
      'RENDERLINE_SECRET_A',
      {},
      /RENDERLINE_SECRET_A is not set; set it .*openssl rand/,
    ],
    ['if its variable is empty', 'RENDERLINE_SECRET_A', { RENDERLINE_SECRET_A: '' }, /is not set/],
    [
      'if it has 31 characters',
      'RENDERLINE_SECRET_A',
      { RENDERLINE_SECRET_A: long.slice(1) },
      /has fewer than 32 characters/,
    ],
    [
      "if it is the worker's own key",
      'RENDERLINE_API_KEY',
      { RENDERLINE_API_KEY: long },
      /belongs to the worker itself/,
    ],
    [
      'if the operator does not allow its variable',
      'HOME',
      { HOME: long },
      /RENDERLINE_ALLOW_SECRETS does not allow it/,
    ],
  ])('a credential is refused %s', (_what, name, env, problem) => {
    const { credentials, problems } = read([name], env);
    expect(credentials).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).toMatch(/^shop: /);
    expect(problems.join()).not.toContain('vvv');
  });
});
