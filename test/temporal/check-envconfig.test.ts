import type { ClientConfigProfile } from '@temporalio/envconfig';
import { describe, expect, test } from 'vitest';
import { checkEnvconfig } from '../../src/temporal/connection/check-envconfig.ts';

type Case = [
  what: string,
  env: Record<string, string>,
  profile: ClientConfigProfile,
  file: string,
  expected: RegExp,
];

const pem = { path: '/a.pem' };

describe('a setting without the expected effect', () => {
  test.each<Case>([
    ['an empty address', { TEMPORAL_ADDRESS: '' }, {}, '', /^TEMPORAL_ADDRESS is empty/],
    [
      'an address with a scheme',
      {},
      { address: 'https://x:1' },
      '',
      /"https:\/\/x:1" has a scheme/,
    ],
    [
      'a codec endpoint',
      { TEMPORAL_CODEC_ENDPOINT: 'x' },
      {},
      '',
      /^TEMPORAL_CODEC_ENDPOINT has no/,
    ],
    [
      'codec authentication',
      { TEMPORAL_CODEC_AUTH: 'x' },
      {},
      '',
      /^TEMPORAL_CODEC_AUTH has no effect/,
    ],
    ['a codec in the file', {}, {}, '[profile.default.codec]\n', /^\[profile\.….codec\] has no/],
    [
      'disabled host verification',
      { TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' },
      {},
      '',
      /still verified/,
    ],
    [
      'disabled host verification in the file',
      {},
      {},
      '[profile.default.tls]\ndisable_host_verification = true',
      /still verified/,
    ],
    ['a certificate without a key', {}, { tls: { clientCert: pem } }, '', /certificate is ignored/],
    ['a key without a certificate', {}, { tls: { clientKey: pem } }, '', /key is ignored/],
    ['TLS set to "True"', { TEMPORAL_TLS: 'True' }, {}, '', /^TEMPORAL_TLS=True is treated as off/],
    ['an API key without TLS', {}, { apiKey: 'k', tls: { disabled: true } }, '', /unencrypted/],
    [
      'a header with two underscores',
      { TEMPORAL_GRPC_META_X_TEAM_NAME: 'v' },
      {},
      '',
      /is sent as "x-team_name"/,
    ],
  ])('%s causes a warning', (_what, env, profile, file, expected) => {
    expect(checkEnvconfig(env, profile, file)).toEqual([expect.stringMatching(expected)]);
  });
});

test.each<[string, Record<string, string>, ClientConfigProfile, string]>([
  ['a profile without settings', {}, {}, ''],
  ['a plain address', { TEMPORAL_ADDRESS: 'a:1' }, { address: 'a:1' }, ''],
  ['a certificate with its key', {}, { tls: { clientCert: pem, clientKey: pem } }, ''],
  ['TLS that is on', { TEMPORAL_TLS: 'true' }, {}, ''],
  ['TLS that is off', { TEMPORAL_TLS: '0' }, { tls: { disabled: true } }, ''],
  ['a header with one underscore', { TEMPORAL_GRPC_META_X_TEAM: 'v' }, {}, ''],
  ['host verification that is left on', {}, {}, 'disable_host_verification = false'],
])('%s causes no warning', (_what, env, profile, file) => {
  expect(checkEnvconfig(env, profile, file)).toEqual([]);
});

test('no warning shows a value that may be secret', () => {
  const env = { TEMPORAL_CODEC_AUTH: 'secret', TEMPORAL_GRPC_META_A_B_C: 'secret' };
  const profile = { apiKey: 'secret', tls: { disabled: true } };
  const warnings = checkEnvconfig(env, profile);
  expect(warnings).toHaveLength(3);
  expect(warnings.join('\n')).not.toContain('secret');
});
