import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultFieldNames } from '../../src/api/requests/field-names.ts';
import { type ConfigSources, loadConfig } from '../../src/settings/config.ts';
import { folderWith } from '../cli/_folder.ts';

/** Each list contains the previous list ten times. */
const aliasBomb = Array.from({ length: 9 }, (_, at) => {
  const items = Array.from({ length: 10 }, () => (at === 0 ? 'x' : `*a${at - 1}`));
  return `k${at}: &a${at} [${items.join(',')}]\n`;
}).join('');

const yaml = `baseUrl: https://file.example/api/v1/
taskQueue: from-file
rateLimit: 300
operations:
  createPipeline: POST /pipelines
`;

function load(files: Record<string, string>, sources: Partial<ConfigSources> = {}) {
  const cwd = folderWith(files);
  return loadConfig({ env: {}, cwd, ...sources });
}

describe('the source of a setting', () => {
  test('the source is the default if nothing is set, and settings without a default are null', async () => {
    const config = await load({});
    expect(config.file).toBeNull();
    expect(config.baseUrl).toEqual({ value: null, origin: 'default' });
    expect(config.apiKey).toEqual({ value: null, origin: 'default' });
    expect(config.taskQueue).toEqual({ value: null, origin: 'default' });
    expect(config.rateLimit.value).toBeNull();
  });

  test('the source is the file, with its path as origin', async () => {
    const config = await load({ 'renderline.yaml': yaml });
    expect(config.baseUrl.value).toBe('https://file.example/api/v1');
    expect(config.baseUrl.origin).toBe(config.file);
    expect(config.taskQueue.value).toBe('from-file');
    expect(config.rateLimit.value).toBe(300);
    expect(config.operations.value).toEqual({ createPipeline: 'POST /pipelines' });
  });

  test('field names come from the file or else from the defaults', async () => {
    const { fields } = await load({ 'renderline.yaml': 'fields: { variant: { id: guid } }\n' });
    const { variant, slot } = defaultFieldNames;
    expect(fields.value).toEqual({ variant: { ...variant, id: 'guid' }, slot });
    expect((await load({})).fields.value).toEqual(defaultFieldNames);
  });

  test('the environment overrides the file, and a flag overrides the environment', async () => {
    const env = {
      RENDERLINE_BASE_URL: 'https://env.example/api/v1',
      RENDERLINE_TASK_QUEUE: 'from-env',
      RENDERLINE_RATE_LIMIT: '120',
    };
    const config = await load(
      { 'renderline.yaml': yaml },
      { env, flags: { baseUrl: 'https://flag.example/api/v1' } },
    );
    expect(config.baseUrl).toEqual({
      value: 'https://flag.example/api/v1',
      origin: 'flag --base-url',
    });
    expect(config.taskQueue).toEqual({ value: 'from-env', origin: 'RENDERLINE_TASK_QUEUE' });
    expect(config.rateLimit).toEqual({ value: 120, origin: 'RENDERLINE_RATE_LIMIT' });
  });

  test('an empty variable is ignored', async () => {
    const config = await load({ 'renderline.yaml': yaml }, { env: { RENDERLINE_TASK_QUEUE: '' } });
    expect(config.taskQueue.value).toBe('from-file');
  });

  test('the file is the nearest renderline.yaml in the folder or above it, within the repository', async () => {
    const root = folderWith({ 'renderline.yaml': yaml, '.git/HEAD': '' });
    const deep = join(root, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    expect(await loadConfig({ env: {}, cwd: deep })).toMatchObject({
      file: join(root, 'renderline.yaml'),
      ignoredFile: null,
    });
  });

  test.each(['a/b', 'a/repository/deep'])(
    'a renderline.yaml above %s is not read outside a repository',
    async (below) => {
      const root = folderWith({ 'renderline.yaml': yaml, 'a/repository/.git/HEAD': '' });
      const cwd = join(root, below);
      mkdirSync(cwd, { recursive: true });
      const config = await loadConfig({ env: {}, cwd });
      expect(config).toMatchObject({ file: null, baseUrl: { value: null } });
      expect(config.ignoredFile).toMatch(
        /renderline.yaml was not read: it is in a parent folder .* --config/,
      );
      const named = await loadConfig({
        env: {},
        cwd,
        flags: { config: join(root, 'renderline.yaml') },
      });
      expect(named.baseUrl.value).toBe('https://file.example/api/v1');
    },
  );

  test('a renderline.yaml that other users can write is not read', async () => {
    const cwd = folderWith({ 'renderline.yaml': yaml });
    chmodSync(join(cwd, 'renderline.yaml'), 0o666);
    const config = await loadConfig({ env: {}, cwd });
    expect(config).toMatchObject({ file: null, baseUrl: { value: null } });
    expect(config.ignoredFile).toMatch(/can be written by all users/);
    const named = await loadConfig({ env: {}, cwd, flags: { config: 'renderline.yaml' } });
    expect(named.baseUrl.value).toBe('https://file.example/api/v1');
  });

  test('a folder in place of the file is named, since Docker creates one for a missing file that it mounts', async () => {
    const cwd = folderWith({ 'renderline.yaml/x': '' });
    await expect(loadConfig({ env: {}, cwd })).rejects.toMatchObject({
      name: 'ConfigError',
      message: `${join(cwd, 'renderline.yaml')} is a folder, not a file.`,
    });
  });

  test('RENDERLINE_CONFIG selects another file', async () => {
    const config = await load({ 'other.yaml': yaml }, { env: { RENDERLINE_CONFIG: 'other.yaml' } });
    expect(config.taskQueue.value).toBe('from-file');
  });

  test('the cache folder is set by its own variable, or else by the XDG variable', async () => {
    const own = await load({}, { env: { RENDERLINE_CACHE_DIR: '/c', XDG_CACHE_HOME: '/x' } });
    expect(own.cacheDir).toEqual({ value: '/c', origin: 'RENDERLINE_CACHE_DIR' });
    const xdg = await load({}, { env: { XDG_CACHE_HOME: '/x' } });
    expect(xdg.cacheDir.value).toBe('/x/renderline');
  });
});

test('a file with encryption keys that other users can read causes a warning', async () => {
  const cwd = folderWith({ keys: `a:${Buffer.alloc(32).toString('base64')}\n` });
  const path = join(cwd, 'keys');
  const env = { RENDERLINE_CODEC_KEYS_FILE: path };
  const warningsOf = async () => (await loadConfig({ env, cwd })).warnings;
  chmodSync(path, 0o600);
  expect(await warningsOf()).toEqual([]);
  chmodSync(path, 0o644);
  expect(await warningsOf()).toEqual([`${path} can be read by other users: chmod 600 ${path}`]);
  // The file is not read while the variable with the keys themselves is set.
  expect(
    (await loadConfig({ env: { ...env, RENDERLINE_CODEC_KEYS: 'a:x' }, cwd })).warnings,
  ).toEqual([]);
});

describe('the API key', () => {
  test('the API key is read from a file and trimmed, and a file that other users can read causes a warning', async () => {
    const cwd = folderWith({ key: 'svc_a_b\n' });
    const env = { RENDERLINE_API_KEY_FILE: 'key' };
    chmodSync(join(cwd, 'key'), 0o600);
    const closed = await loadConfig({ env, cwd });
    expect(closed.apiKey.value).toBe('svc_a_b');
    expect(closed.warnings).toEqual([]);
    chmodSync(join(cwd, 'key'), 0o644);
    const open = await loadConfig({ env, cwd });
    expect(open.warnings.join()).toContain('chmod 600');
  });

  test('the API key is read from the variable rather than the file, with a warning', async () => {
    const config = await load(
      {},
      { env: { RENDERLINE_API_KEY: ' svc_x_y ', RENDERLINE_API_KEY_FILE: 'absent' } },
    );
    expect(config.apiKey).toEqual({ value: 'svc_x_y', origin: 'RENDERLINE_API_KEY' });
    expect(config.warnings.join()).toContain('RENDERLINE_API_KEY_FILE is ignored');
  });

  test.each(['apiKey', 'api_key', 'API-KEY', 'token', 'secret', 'key'])(
    'the API key is refused in renderline.yaml as "%s", with the variable to use and without its value',
    async (name) => {
      const loading = load({ 'renderline.yaml': `${name}: svc_hush_hush\n` });
      await expect(loading).rejects.toMatchObject({
        name: 'ConfigError',
        fix: expect.stringContaining('RENDERLINE_API_KEY') as string,
      });
      await expect(loading).rejects.not.toThrow(/hush/);
    },
  );
});

test('plain HTTP to a host that is allowed by name causes a warning', async () => {
  const env = {
    RENDERLINE_BASE_URL: 'http://sandbox:4010/api/v1',
    RENDERLINE_ALLOW_HOSTS: 'sandbox',
  };
  expect((await load({}, { env })).warnings).toEqual([
    'The API key is sent to sandbox:4010 unencrypted, because RENDERLINE_ALLOW_HOSTS allows it.',
  ]);
});

describe('settings that no command could use', () => {
  type Row = [string, Record<string, string>, Partial<ConfigSources>, RegExp];
  const cases: Row[] = [
    ['an unknown setting', { 'renderline.yaml': 'bseUrl: x\n' }, {}, /bseUrl/],
    ['a wrong type', { 'renderline.yaml': 'rateLimit: many\n' }, {}, /rateLimit/],
    ...[
      'RENDERLINE_API_KEY',
      'SHOP_KEY,TEMPORAL_API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'AZURE_STORAGE_CONNECTION_STRING',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'RENDERLINE_WEBHOOK_SECRET',
    ].map((list): Row => {
      const env = { RENDERLINE_ALLOW_SECRETS: list };
      return [`a key of our own for files: ${list}`, {}, { env }, /belongs to the worker itself/];
    }),
    ...['*', 'hunter2', 'A B', 'SHOP_KEY;FILES_KEY'].map((list): Row => {
      const env = { RENDERLINE_ALLOW_SECRETS: list };
      return [
        `a list with an invalid name: ${list}`,
        {},
        { env },
        /^(?!.*hunter2).*is not a variable name/,
      ];
    }),
    ...[
      'http://platform.example.com/api/v1',
      'http://10.0.0.7/api/v1',
      'http://sandbox:4010/api/v1',
    ].map((url): Row => {
      const env = { RENDERLINE_BASE_URL: url, RENDERLINE_ALLOW_HOSTS: 'other' };
      const message = /API key is not sent to .* unencrypted/;
      return [`the key over plain http to ${url}`, {}, { env }, message];
    }),
    [
      'wake-ups over plain HTTP',
      { 'renderline.yaml': 'wakeUpsUrl: http://receiver:8099/wake-ups\n' },
      {},
      /token for wake-ups is not sent to receiver:8099 /,
    ],
    [
      'the key to a cloud',
      {},
      {
        env: {
          RENDERLINE_BASE_URL: 'http://169.254.169.254/api/v1',
          RENDERLINE_ALLOW_HOSTS: '169.254.169.254',
        },
      },
      /a cloud metadata service, which returns credentials/,
    ],
    ...['RENDERLINE_BASE_URL', 'RENDERLINE_WAKE_UPS_URL', 'RENDERLINE_TEMPORAL_UI'].flatMap(
      (name): Row[] => [
        [
          `a password in ${name}`,
          {},
          { env: { [name]: 'https://me:hush@host.example/api/v1' } },
          new RegExp(`^(?!.*hush).*\\(${name}\\) must not contain a user, a password or a query`),
        ],
        [
          `a password in ${name}, which is not a URL`,
          {},
          { env: { [name]: 'me:hush@host.example' } },
          new RegExp(`^(?!.*hush).*\\(${name}\\) is not an http\\(s\\) URL`),
        ],
      ],
    ),
    ['a rate limit of 0', { 'renderline.yaml': 'rateLimit: 0\n' }, {}, /rateLimit/],
    [
      'an invalid route',
      { 'renderline.yaml': 'operations: { getPipeline: pipelines }\n' },
      {},
      /operations\.getPipeline: "pipelines" is not a method and a path/,
    ],
    [
      'a route with a body',
      { 'renderline.yaml': "operations: { getPipeline: { route: 'GET /pipelines/{id}' } }\n" },
      {},
      /operations\.getPipeline: must be a method and a path, such as POST \/files; only pipeline files may add a body/,
    ],
    [
      'an unknown operation',
      { 'renderline.yaml': "operations: { getPipline: 'GET /pipelines/{id}' }\n" },
      {},
      /operations\.getPipline: the API operation "getPipline" does not exist/,
    ],
    [
      'an operation whose path is known',
      { 'renderline.yaml': "operations: { getMe: 'GET /whoami' }\n" },
      {},
      /operations\.getMe: the path of "getMe" is already in the platform's reference \(GET \/me\)/,
    ],
    [
      'an invalid field',
      { 'renderline.yaml': 'fields: { variant: { id: 1 } }\n' },
      {},
      /fields\.variant/,
    ],
    ['a file that is not YAML', { 'renderline.yaml': 'a: [\n' }, {}, /not valid YAML/],
    ['a duplicate setting', { 'renderline.yaml': 'taskQueue: a\ntaskQueue: b\n' }, {}, /unique/],
    [
      'aliases that multiply the content',
      { 'renderline.yaml': aliasBomb },
      {},
      /not valid YAML: Excessive alias count/,
    ],
    [
      'deeply nested lists',
      { 'renderline.yaml': 'a: '.concat('['.repeat(8_000)) },
      {},
      /not valid YAML: it is nested deeper than 64 levels$/,
    ],
    [
      'deeply nested mappings',
      { 'renderline.yaml': ': '.repeat(8_000) },
      {},
      /not valid YAML: it is nested deeper than 64 levels$/,
    ],
    [
      'hundreds of unknown settings',
      { 'renderline.yaml': Array.from({ length: 1_500 }, (_, at) => `k${at}: 1\n`).join('') },
      {},
      /^[^]{0,800}…$/,
    ],
    ['an endless device', {}, { env: { RENDERLINE_CONFIG: '/dev/zero' } }, /16 KiB/],
    [
      'a key in an endless device',
      {},
      { env: { RENDERLINE_API_KEY_FILE: '/dev/zero' } },
      /larger than 16 KiB/,
    ],
    ['a file that is too large', { 'renderline.yaml': `#${' '.repeat(20_000)}` }, {}, /16 KiB/],
    ['an invalid URL', {}, { flags: { baseUrl: 'platform' } }, /flag --base-url/],
    ['a file URL', {}, { env: { RENDERLINE_BASE_URL: 'file:///x' } }, /RENDERLINE_BASE_URL/],
    [
      'a password in the URL',
      {},
      { env: { RENDERLINE_BASE_URL: 'https://u:p@h/api/v1' } },
      /password/,
    ],
    [
      'a rate limit in words',
      {},
      { env: { RENDERLINE_RATE_LIMIT: 'fast' } },
      /RENDERLINE_RATE_LIMIT is "fast"/,
    ],
    [
      'a rate limit of 0 in the environment',
      {},
      { env: { RENDERLINE_RATE_LIMIT: '0' } },
      /RENDERLINE_RATE_LIMIT/,
    ],
    [
      'a missing file',
      {},
      { env: { RENDERLINE_CONFIG: 'no.yaml' } },
      /RENDERLINE_CONFIG is set to .*no\.yaml/,
    ],
    [
      'a missing file given by the flag',
      {},
      { flags: { config: 'no.yaml' } },
      /--config is set to/,
    ],
    ['a missing key file', {}, { env: { RENDERLINE_API_KEY_FILE: 'no' } }, /cannot be read/],
    ['a key with a space', {}, { env: { RENDERLINE_API_KEY: 'svc_a b' } }, /more than a key/],
    ['a key with other letters', {}, { env: { RENDERLINE_API_KEY: 'svc_é' } }, /more than a key/],
    ['an empty key file', { k: '\n' }, { env: { RENDERLINE_API_KEY_FILE: 'k' } }, /is empty/],
  ];
  test.each(cases)(
    'a setting that no command could use is refused: %s',
    async (_name, files, sources, message) => {
      await expect(load(files, sources)).rejects.toThrow(message);
      await expect(load(files, sources)).rejects.toMatchObject({ name: 'ConfigError' });
    },
  );

  test('a syntax error in renderline.yaml is reported without the line, which may contain a secret', async () => {
    const loading = load({ 'renderline.yaml': 'password: "hush-4711\n' });
    await expect(loading).rejects.toThrow(
      /not valid YAML: Missing closing "quote at line \d+, column \d+$/,
    );
  });

  test('deep nesting within the size limit causes an error, not a crash', async () => {
    await expect(load({ 'renderline.yaml': '['.repeat(16_000) })).rejects.toThrow();
  });
});
