import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { App } from '../../src/app/app.ts';
import {
  type Check,
  createFailedCheck,
  createPassedCheck,
  createWarningCheck,
  runCheck,
  worstExitOf,
} from '../../src/app/doctor/health-check.ts';
import { checkNode } from '../../src/app/doctor/local.ts';
import { checkClock, checkPlatform } from '../../src/app/doctor/remote.ts';
import { formatChecks } from '../../src/cli/doctor/format.ts';
import type { CliEnvironment } from './_fake-io.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

const plain = (_format: unknown, text: string) => text;
// Nothing listens on port 1, so Temporal is unreachable.
const noTemporal = { TEMPORAL_ADDRESS: '127.0.0.1:1', HOME: '/nonexistent' };

interface Doctored {
  checks: Check[];
}

function stateOf({ checks }: Doctored, name: string): string[] {
  return checks.filter((check) => check.name === name).map(({ state }) => state);
}

async function doctor(world: CliEnvironment) {
  const cwd = world.cwd ?? folderWith();
  const env = { ...noTemporal, RENDERLINE_CACHE_DIR: folderWith(), ...world.env };
  const ran = await run(['doctor', '--json'], { ...world, cwd, env });
  return { ...ran, shape: ran.json<Doctored>() };
}

async function sandbox(options: Parameters<typeof startSandbox>[0] = {}) {
  const running = await startSandbox({ pictureScale: 0, ...options });
  onTestFinished(() => running.stop());
  return { RENDERLINE_BASE_URL: running.url, RENDERLINE_API_KEY: running.apiKey };
}

describe('single checks', () => {
  test.each([
    ['v20.19.0', 'ok'],
    ['v20.20.2', 'ok'],
    ['v24.0.0', 'ok'],
    ['v20.18.3', 'fail'],
    ['v18.20.0', 'fail'],
  ])('the check of Node %s has the state %s', (version, state) => {
    expect(checkNode(version).state).toBe(state);
  });

  test.each([
    [0, 'ok'],
    [4_000, 'ok'],
    [-4_000, 'ok'],
    [3_600_000, 'warn'],
    [-3_600_000, 'warn'],
  ])('a clock that is %d ms ahead is %s', (aheadMs, state) => {
    const platformMs = Date.UTC(2026, 10, 21);
    expect(checkClock(platformMs, platformMs + aheadMs).state).toBe(state);
  });

  test('an exception in a check is reported as a failed check', async () => {
    const failing = runCheck('disk', () => Promise.reject(new Error('surprise')));
    expect(await failing).toMatchObject([{ name: 'disk', state: 'fail', message: 'surprise' }]);
  });

  test('the worst failure determines the exit code, and warnings do not affect it', () => {
    expect(worstExitOf([createPassedCheck('a', ''), createWarningCheck('b', '', '')])).toBe(0);
    expect(
      worstExitOf([createFailedCheck('a', '', '', 69), createFailedCheck('b', '', '', 4)]),
    ).toBe(4);
    expect(
      worstExitOf([createFailedCheck('a', '', '', 75), createFailedCheck('b', '', '', 69)]),
    ).toBe(69);
    expect(worstExitOf([createPassedCheck('a', ''), createFailedCheck('b', '', '', 3)])).toBe(3);
  });

  test('all lines of a fix are printed below the line of the check', () => {
    const text = formatChecks(
      [createPassedCheck('node', 'v20'), createWarningCheck('clock', 'late', 'one\ntwo')],
      plain,
    );
    expect(text.split('\n').map((line) => line.trim())).toEqual([
      'ok    node   v20',
      'warn  clock  late',
      'one',
      'two',
    ]);
  });
});

describe('doctor', () => {
  test('doctor without settings exits with 2, and prints the line to type for each missing setting', async () => {
    const { code, shape } = await doctor({});
    expect(code).toBe(2);
    expect(stateOf(shape, 'base url')).toEqual(['fail']);
    expect(stateOf(shape, 'api key')).toEqual(['fail']);
    expect(stateOf(shape, 'platform')).toEqual([]);
    const fixes = shape.checks.map(({ fix }) => fix).join('\n');
    expect(fixes).toContain('export RENDERLINE_BASE_URL=');
    expect(fixes).toContain('renderline dev');
  });

  test('doctor with a platform but without Temporal exits with 69', async () => {
    const env = await sandbox();
    const { code, shape, stdout } = await doctor({ env });
    expect(code).toBe(69);
    expect(stateOf(shape, 'workspace')).toEqual(['ok']);
    expect(stateOf(shape, 'clock')).toEqual(['ok']);
    expect(stateOf(shape, 'temporal')).toContain('fail');
    expect(stdout).not.toContain(env.RENDERLINE_API_KEY);
  });

  test('a rate limit that workers use up is a warning, since the platform responds', async () => {
    const app = new App({ env: await sandbox({ rateLimit: 1 }), cwd: folderWith() });
    await checkPlatform(app);
    expect(await checkPlatform(app, 100)).toMatchObject([
      { name: 'platform', state: 'warn', message: expect.stringContaining('whole rate limit') },
    ]);
  });

  test('doctor with a wrong key exits with 4, which has priority over unreachable services', async () => {
    const env = { ...(await sandbox()), RENDERLINE_API_KEY: 'svc_wrong_0123456789abcdef' };
    const { code, shape } = await doctor({ env });
    expect(code).toBe(4);
    expect(stateOf(shape, 'platform')).toEqual(['fail']);
  });

  test.each<[string, Record<string, string>]>([
    ['Temporal settings', { TEMPORAL_PROFILE: 'nope' }],
    ['Temporal settings next to a proxy', { TEMPORAL_PROFILE: 'nope', HTTPS_PROXY: 'http://p:1' }],
    ['encryption keys', { RENDERLINE_CODEC_KEYS: 'nope' }],
  ])('invalid %s are reported once', async (_what, env) => {
    const { shape } = await doctor({ env });
    const failed = shape.checks.filter(({ name }) => ['temporal', 'proxy'].includes(name));
    expect(failed.filter(({ state }) => state === 'fail')).toHaveLength(1);
  });

  test('doctor shows where each setting comes from', async () => {
    const cwd = folderWith({ 'renderline.yaml': 'taskQueue: from-file\n' });
    const ran = await run(['doctor'], { cwd, env: { ...noTemporal, RENDERLINE_RATE_LIMIT: '90' } });
    expect(ran.stdout).toMatch(/task queue\s+from-file \(.*renderline\.yaml\)/);
    expect(ran.stdout).toMatch(/rate limit\s+90 requests in 60 s \(RENDERLINE_RATE_LIMIT\)/);
  });

  test.each([
    ['plain http to another machine', 'http://platform.example.com/api/v1', '', /unencrypted/],
    [
      'plain http, although this host is not on the list',
      'http://10.0.0.7:4010/api/v1',
      'other',
      /unencrypted/,
    ],
    ['a cloud credential service', 'http://169.254.169.254/api/v1', '', /credentials/],
    [
      'the instance metadata address, although it is listed',
      'https://169.254.169.254/api/v1',
      '169.254.169.254',
      /credentials/,
    ],
    [
      'the credentials service by name',
      'https://metadata.google.internal/api/v1',
      '',
      /credentials/,
    ],
    [
      'the credentials service in IPv6 notation',
      'http://[::ffff:a9fe:a9fe]/api/v1',
      '',
      /credentials/,
    ],
  ])(
    '%s causes one failed line with a fix, and doctor sends no request',
    async (_, url, list, why) => {
      const { code, shape, stdout } = await doctor({
        env: {
          RENDERLINE_BASE_URL: url,
          RENDERLINE_ALLOW_HOSTS: list,
          RENDERLINE_API_KEY: 'svc_c4n4ry_0123456789abcdef',
        },
      });
      expect(code).toBe(2);
      const [line] = shape.checks.filter(({ name }) => name === 'config');
      expect(line).toMatchObject({ state: 'fail', message: expect.stringMatching(why) });
      expect(line?.message).toContain(new URL(url).host);
      expect(line?.fix).not.toBe('');
      expect(stateOf(shape, 'platform')).toEqual([]);
      expect(stdout).not.toContain('c4n4ry');
    },
  );

  test('plain http for wake-ups causes one failed line, and doctor sends no request', async () => {
    const cwd = folderWith({ 'renderline.yaml': 'wakeUpsUrl: http://receiver:8099/wake-ups\n' });
    const { code, shape } = await doctor({ cwd });
    expect(code).toBe(2);
    expect(shape.checks.find(({ name }) => name === 'config')).toMatchObject({
      state: 'fail',
      message: expect.stringMatching(/receiver:8099.* unencrypted/),
    });
    expect(stateOf(shape, 'receiver')).toEqual([]);
  });

  test('plain http to an allowed host causes a warning, and doctor sends the request', async () => {
    const { shape } = await doctor({
      env: {
        // Names below .invalid never resolve.
        RENDERLINE_BASE_URL: 'http://platform.invalid/api/v1',
        RENDERLINE_ALLOW_HOSTS: 'platform.invalid',
        RENDERLINE_API_KEY: 'svc_c4n4ry_0123456789abcdef',
      },
    });
    expect(shape.checks).toContainEqual(
      expect.objectContaining({
        name: 'config',
        state: 'warn',
        message: expect.stringContaining('platform.invalid unencrypted'),
      }),
    );
    expect(stateOf(shape, 'platform')).toEqual(['fail']);
  });

  test('doctor behind a proxy shows the route to each address, without user and password', async () => {
    const { shape, stdout } = await doctor({
      env: {
        RENDERLINE_BASE_URL: 'https://platform.invalid/api/v1',
        HTTPS_PROXY: 'http://user:c4n4ry@proxy.invalid:3128',
        NO_PROXY: 'inside.invalid',
        RENDERLINE_WAKE_UPS_URL: 'https://receiver.inside.invalid/wake-ups',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
        TEMPORAL_TLS: 'true',
      },
    });
    expect(shape.checks.filter(({ name }) => name === 'proxy').map((one) => one.message)).toEqual([
      'the platform, platform.invalid: through proxy.invalid:3128 (HTTPS_PROXY)',
      'the receiver, receiver.inside.invalid: directly',
      'traces, 127.0.0.1:4318: directly',
      'Temporal, 127.0.0.1:1: directly',
      'other hosts (signed links, buckets, notices): through proxy.invalid:3128 (HTTPS_PROXY)',
      'SFTP: always directly',
    ]);
    expect(stdout).not.toContain('c4n4ry');
  });

  test('doctor prints no proxy line without a proxy, and a failed line for an invalid proxy', async () => {
    expect(stateOf((await doctor({})).shape, 'proxy')).toEqual([]);
    const { code, shape } = await doctor({ env: { HTTPS_PROXY: 'socks5://u:c4n4ry@p:1' } });
    expect(code).toBe(2);
    expect(stateOf(shape, 'proxy')).toContain('fail');
    expect(JSON.stringify(shape)).not.toContain('c4n4ry');
  });

  test('an unreadable settings file causes one failed line', async () => {
    const cwd = folderWith({ 'renderline.yaml': 'apiKey: x\n' });
    const { code, shape } = await doctor({ cwd });
    expect(code).toBe(2);
    expect(stateOf(shape, 'config')).toEqual(['fail']);
  });
});
