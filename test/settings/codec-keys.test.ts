// Tests the encryption keys: their sources, which key encrypts, and the errors for invalid keys.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/settings/config-error.ts';
import { readCodecKeys, readPrivateNames } from '../../src/settings/secrets/codec-keys.ts';
import { readSecretValues } from '../../src/settings/secrets/secret-names.ts';

const old = Buffer.alloc(32, 1).toString('base64');
const young = Buffer.alloc(32, 2).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'renderline-codec-keys-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('keys', () => {
  it.each<[string, Record<string, string>, string | null, string[]]>([
    ['no keys', {}, null, []],
    ['an empty variable', { RENDERLINE_CODEC_KEYS: '' }, null, []],
    ['one key', { RENDERLINE_CODEC_KEYS: `a:${old}` }, 'a', ['a']],
    [
      'two keys: the first one encrypts',
      { RENDERLINE_CODEC_KEYS: `b:${young}, a:${old}` },
      'b',
      ['b', 'a'],
    ],
    [
      'two keys: the selected one encrypts',
      { RENDERLINE_CODEC_KEYS: `a:${old},b:${young}`, RENDERLINE_CODEC_KEY_ID: 'b' },
      'b',
      ['a', 'b'],
    ],
    [
      'a file with a line for each key',
      { RENDERLINE_CODEC_KEYS_FILE: fileOf('two', `# newest first\nb:${young}\n\na:${old}\n`) },
      'b',
      ['b', 'a'],
    ],
    [
      'the variable rather than the file',
      {
        RENDERLINE_CODEC_KEYS: `a:${old}`,
        RENDERLINE_CODEC_KEYS_FILE: fileOf('one', `b:${young}`),
      },
      'a',
      ['a'],
    ],
    [
      'one key, if writing is off',
      { RENDERLINE_CODEC_KEYS: `a:${old}`, RENDERLINE_CODEC_WRITE: 'off' },
      null,
      ['a'],
    ],
    [
      'two keys, with writing off although a key is selected',
      {
        RENDERLINE_CODEC_KEYS: `a:${old},b:${young}`,
        RENDERLINE_CODEC_KEY_ID: 'b',
        RENDERLINE_CODEC_WRITE: '0',
      },
      null,
      ['a', 'b'],
    ],
    [
      'one key, if writing is on',
      { RENDERLINE_CODEC_KEYS: `a:${old}`, RENDERLINE_CODEC_WRITE: 'on' },
      'a',
      ['a'],
    ],
    ['writing off without keys', { RENDERLINE_CODEC_WRITE: 'off' }, null, []],
  ])('codec keys are read: %s', (_what, env, writing, ids) => {
    const found = readCodecKeys(env);
    expect(found?.writingKeyId ?? null).toBe(writing);
    expect([...(found?.keys.keys() ?? [])]).toEqual(ids);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a key without an id',
      { RENDERLINE_CODEC_KEYS: old },
      /RENDERLINE_CODEC_KEYS: entry 1 does not begin with an id/,
    ],
    [
      'a key that is too short',
      { RENDERLINE_CODEC_KEYS: 'a:c2hvcnQ=' },
      /the key "a" has 5 bytes instead of 32/,
    ],
    [
      'a duplicate id',
      { RENDERLINE_CODEC_KEYS: `a:${old},a:${young}` },
      /contains the key "a" twice/,
    ],
    [
      'an unknown id of the encrypting key',
      { RENDERLINE_CODEC_KEYS: `a:${old}`, RENDERLINE_CODEC_KEY_ID: 'z' },
      /RENDERLINE_CODEC_KEY_ID names "z", which RENDERLINE_CODEC_KEYS does not contain/,
    ],
    [
      'a key instead of an id',
      { RENDERLINE_CODEC_KEYS: `a:${old}`, RENDERLINE_CODEC_KEY_ID: young },
      /RENDERLINE_CODEC_KEY_ID names a key id that/,
    ],
    ['an id without keys', { RENDERLINE_CODEC_KEY_ID: 'a' }, /is set, but no keys are configured/],
    [
      'writing switched on without keys',
      { RENDERLINE_CODEC_WRITE: 'on' },
      /RENDERLINE_CODEC_WRITE is set, but no keys are configured/,
    ],
    [
      'an invalid value for writing',
      { RENDERLINE_CODEC_KEYS: `a:${old}`, RENDERLINE_CODEC_WRITE: 'later' },
      /RENDERLINE_CODEC_WRITE must be 1 or 0/,
    ],
    [
      'a missing file',
      { RENDERLINE_CODEC_KEYS_FILE: join(folder, 'none') },
      /none\) cannot be read/,
    ],
    [
      'an empty file',
      { RENDERLINE_CODEC_KEYS_FILE: fileOf('empty', '# later\n') },
      /contains no key/,
    ],
    [
      'a file that is too large',
      { RENDERLINE_CODEC_KEYS_FILE: fileOf('large', `a:${old}\n`.repeat(2_000)) },
      /large\) is larger than 64 KiB/,
    ],
  ])('codec keys are refused: %s', (_what, env, message) => {
    let thrown: unknown;
    try {
      readCodecKeys(env);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigError);
    const { message: said, fix } = thrown as ConfigError;
    expect(said).toMatch(message);
    expect(fix).not.toBe('');
    for (const secret of [old, young]) expect(said + fix).not.toContain(secret);
  });

  it('keys are redacted like other secrets, without their ids', () => {
    expect(readSecretValues({ RENDERLINE_CODEC_KEYS: `a:${old}, b:${young}` })).toEqual([
      old,
      young,
    ]);
  });
});

it.each([
  ['', false],
  ['0', false],
  ['1', true],
  ['true', true],
])('the setting RENDERLINE_PRIVATE_NAMES=%s makes names private: %s', (value, hidden) => {
  expect(readPrivateNames({ RENDERLINE_PRIVATE_NAMES: value })).toBe(hidden);
});

it('an invalid value of RENDERLINE_PRIVATE_NAMES is refused', () => {
  expect(() => readPrivateNames({ RENDERLINE_PRIVATE_NAMES: 'yes please' })).toThrow(
    /must be 1 or 0/,
  );
});
