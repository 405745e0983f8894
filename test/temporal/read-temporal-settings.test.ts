import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/settings/config-error.ts';
import { ApiKeyFile } from '../../src/temporal/connection/api-key-file.ts';
import { readTemporalSettings } from '../../src/temporal/connection/read-temporal-settings.ts';

let home: string;
let file: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'renderline-home-'));
  file = join(home, 'temporal.toml');
});
afterEach(() => rm(home, { recursive: true }));

const toml = `
[profile.default]
address = "file.example:7233"
namespace = "from-file"

[profile.cloud]
address = "cloud.example:7233"
api_key = "secret-of-the-file"
`;

describe('the source of each value', () => {
  test.each([
    ['the defaults', {}, '', ['localhost:7233', 'default', 'default', 'default']],
    [
      'the environment',
      { TEMPORAL_ADDRESS: 'env.example:1', TEMPORAL_NAMESPACE: 'team' },
      '',
      ['env.example:1', 'TEMPORAL_ADDRESS', 'team', 'TEMPORAL_NAMESPACE'],
    ],
    ['the file', {}, toml, ['file.example:7233', 'FILE', 'from-file', 'FILE']],
    [
      'the environment rather than the file',
      { TEMPORAL_NAMESPACE: 'team' },
      toml,
      ['file.example:7233', 'FILE', 'team', 'TEMPORAL_NAMESPACE'],
    ],
    [
      'a named profile',
      { TEMPORAL_PROFILE: 'cloud' },
      toml,
      ['cloud.example:7233', 'FILE', 'default', 'default'],
    ],
    [
      'the file if variables are empty',
      { TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '' },
      toml,
      ['file.example:7233', 'FILE', 'from-file', 'FILE'],
    ],
    [
      'the defaults for an empty file',
      {},
      '\n',
      ['localhost:7233', 'default', 'default', 'default'],
    ],
    [
      'the defaults for a file without profiles',
      {},
      'x = 1\n',
      ['localhost:7233', 'default', 'default', 'default'],
    ],
  ])('the settings come from %s', async (_what, env, text, expected) => {
    if (text) await writeFile(file, text);
    const settings = readTemporalSettings({ HOME: home, TEMPORAL_CONFIG_FILE: file, ...env });
    expect([
      settings.address,
      settings.addressOrigin.replace(file, 'FILE'),
      settings.namespace,
      settings.namespaceOrigin.replace(file, 'FILE'),
    ]).toEqual(expected);
    expect(settings.connectionOptions.address).toBe(settings.address);
  });

  test.runIf(process.platform === 'linux')(
    'the settings are found at the standard locations of the file',
    async () => {
      for (const folder of ['.config', 'xdg']) {
        await mkdir(join(home, folder, 'temporalio'), { recursive: true });
        const text = `[profile.default]\nnamespace = "${folder}"\n`;
        await writeFile(join(home, folder, 'temporalio', 'temporal.toml'), text);
      }
      expect(readTemporalSettings({ HOME: home }).namespace).toBe('.config');
      const xdg = readTemporalSettings({ HOME: home, XDG_CONFIG_HOME: join(home, 'xdg') });
      expect(xdg.namespace).toBe('xdg');
      expect(xdg.namespaceOrigin).toBe(join(home, 'xdg', 'temporalio', 'temporal.toml'));
    },
  );

  test('an address with a password is refused without showing the password', () => {
    const read = () => readTemporalSettings({ HOME: home, TEMPORAL_ADDRESS: 'me:hush@a:7233' });
    expect(read).toThrow(/the address contains a user or a password/);
    expect(read).not.toThrow(/hush/);
  });

  test('an API key enables TLS', () => {
    const { connectionOptions } = readTemporalSettings({ HOME: home, TEMPORAL_API_KEY: 'k' });
    expect(connectionOptions.tls).toBe(true);
  });
});

describe('an API key from a file', () => {
  const key = 'canary-key-of-a-file';
  const settingsOf = (env: Record<string, string>) => readTemporalSettings({ HOME: home, ...env });
  let path: string;
  beforeEach(() => {
    path = join(home, 'temporal-key');
  });

  test('an API key from a file is used like one from the variable, and enables TLS', async () => {
    await writeFile(path, `${key}\n`, { mode: 0o600 });
    const { connectionOptions, apiKeyFile, warnings } = settingsOf({ TEMPORAL_API_KEY_FILE: path });
    expect(connectionOptions).toMatchObject({ apiKey: key, tls: true });
    expect(apiKeyFile?.path).toBe(path);
    expect(warnings).toEqual([]);
  });

  test('a key file is ignored with a warning if the variable for the key is set', () => {
    const env = { TEMPORAL_API_KEY: 'k', TEMPORAL_API_KEY_FILE: '/absent' };
    const { connectionOptions, apiKeyFile, warnings } = settingsOf(env);
    expect(connectionOptions).toMatchObject({ apiKey: 'k' });
    expect(apiKeyFile).toBeNull();
    expect(warnings.join()).toContain('TEMPORAL_API_KEY_FILE is ignored');
  });

  test('a key file that other users can read causes a warning', async () => {
    await writeFile(path, key, { mode: 0o644 });
    const { warnings } = settingsOf({ TEMPORAL_API_KEY_FILE: path });
    expect(warnings).toEqual([`${path} can be read by other users: chmod 600 ${path}`]);
  });

  test.each([
    ['does not exist', null, /cannot be read/],
    ['is empty', '\n', /is empty/],
    ['is too large', `${key}${'x'.repeat(20_000)}`, /larger than 16 KiB/],
    ['has two lines', `${key}\n${key}`, /more than a key/],
    ['has a character that headers do not allow', `${key}\u00e9`, /more than a key/],
  ])(
    'a key file that %s causes an error with its path, not its content',
    async (_what, text, words) => {
      if (text !== null) await writeFile(path, text, { mode: 0o600 });
      const load = () => settingsOf({ TEMPORAL_API_KEY_FILE: path });
      expect(load).toThrow(ConfigError);
      expect(load).toThrow(words);
      expect(load).toThrow(path);
      expect(load).not.toThrow(key);
    },
  );

  test('a key that headers do not allow is not shown if it comes from the variable', () => {
    const load = () => settingsOf({ TEMPORAL_API_KEY: `${key}\n${key}` });
    expect(load).toThrow(ConfigError);
    expect(load).not.toThrow(key);
  });

  test('a key file is read again after it has been replaced, and its key is kept while the file is missing', async () => {
    await writeFile(path, 'first', { mode: 0o600 });
    let nowMs = 0;
    const file = new ApiKeyFile(path, () => nowMs);
    await writeFile(path, 'second');
    expect(file.current()).toBe('first');
    nowMs = 5_000;
    expect(file.current()).toBe('second');
    await rm(path);
    nowMs = 10_000;
    expect(file.current()).toBe('second');
    await writeFile(path, 'third', { mode: 0o600 });
    nowMs = 15_000;
    expect(file.current()).toBe('third');
  });
});

describe('settings that cannot be used', () => {
  test.each([
    ['a missing profile', { TEMPORAL_PROFILE: 'prod' }, toml, "Profile 'prod' not found"],
    ['a profile without a file', { TEMPORAL_PROFILE: 'prod' }, '', "Profile 'prod' not found"],
    ['a broken file', {}, '[profile.default]\naddress = \napi_key = "secret"', 'Invalid TOML'],
    [
      'both a path and data',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: '/a', TEMPORAL_TLS_CLIENT_CERT_DATA: 'x' },
      '',
      'Cannot specify both',
    ],
    ['a missing certificate', { TEMPORAL_TLS_CLIENT_CERT_PATH: '/no' }, '', 'ENOENT'],
  ])('%s causes an error', async (_what, env, text, message) => {
    if (text) await writeFile(file, text);
    const load = () => readTemporalSettings({ HOME: home, TEMPORAL_CONFIG_FILE: file, ...env });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(message);
  });

  test('the error contains no content of the file, which may contain a key', async () => {
    await writeFile(file, '[profile.default]\napi_key = "secret-of-the-file" oops\n');
    const load = () => readTemporalSettings({ HOME: home, TEMPORAL_CONFIG_FILE: file });
    expect(load).toThrow(expect.objectContaining({ fix: expect.stringContaining(file) }));
    expect(load).not.toThrow(/secret-of-the-file/);
  });
});

test('a setting without effect causes a warning', async () => {
  await writeFile(file, `${toml}\n[profile.default.codec]\nendpoint = "http://codec"\n`);
  const settings = readTemporalSettings({ HOME: home, TEMPORAL_CONFIG_FILE: file });
  expect(settings.warnings).toEqual([expect.stringContaining('codec')]);
});
