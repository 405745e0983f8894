import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from './_folder.ts';
import { run, startCli } from './_run-cli.ts';

describe('sandbox', () => {
  test('sandbox prints the lines to export, serves, and stops at Ctrl-C with exit 0', async () => {
    const started = startCli(['sandbox', '--port', '0', '--api-key', 'svc_own_key'], {});
    await started.stdout.shows(/RENDERLINE_API_KEY=svc_own_key/);
    const [, url = ''] = /RENDERLINE_BASE_URL=(\S+)/.exec(started.stdout.plain) ?? [];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    const env = { RENDERLINE_BASE_URL: url, RENDERLINE_API_KEY: 'svc_own_key' };
    const cwd = folderWith();
    expect((await run(['api', 'getMe', '--json'], { env, cwd })).code).toBe(0);
    started.interrupts.interrupt();
    expect((await started.done).code).toBe(0);
    expect((await run(['api', 'getMe'], { env, cwd })).code).toBe(69);
  });

  test('sandbox --json prints one object with the address and the key', async () => {
    const started = startCli(['sandbox', '--port', '0', '--json']);
    await started.stdout.shows(/\}/);
    started.interrupts.interrupt();
    expect((await started.done).json()).toMatchObject({
      schema: 'renderline/sandbox/v1',
      baseUrl: expect.stringContaining('/api/v1') as string,
      apiKey: expect.stringMatching(/^svc_/) as string,
    });
  });

  test('sandbox --data keeps the key across restarts', async () => {
    const data = folderWith();
    const keys = [];
    for (let start = 0; start < 2; start += 1) {
      const started = startCli(['sandbox', '--port', '0', '--data', data, '--json']);
      await started.stdout.shows(/\}/);
      started.interrupts.interrupt();
      keys.push((await started.done).json()['apiKey']);
    }
    expect(keys[0]).toBe(keys[1]);
  });

  test.each([
    ['--port', 'web'],
    ['--port', '65536'],
    ['--port', '80.5'],
    ['--speed', '-1'],
    ['--speed', '0'],
    ['--picture-scale', '2'],
    ['--seed', '1.5'],
    ['--rate-limit', '1.5'],
  ])('sandbox refuses %s %s as a usage error', async (flag, value) => {
    const ran = await run(['sandbox', '--port', '0', flag, value]);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe('');
  });

  test('sandbox exits with 2 and a fix if its data is in use by another sandbox', async () => {
    const args = ['sandbox', '--port', '0', '--data', join(folderWith(), 'data')];
    const first = startCli(args);
    await first.stdout.shows(/BASE_URL=/);
    const second = await run(args);
    first.interrupts.interrupt();
    await first.done;
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(/is using .*data\.\n.*another folder: --data/);
    const third = startCli(args);
    await third.stdout.shows(/BASE_URL=/);
    third.interrupts.interrupt();
    expect((await third.done).code).toBe(0);
  });

  test('sandbox exits with 2 and a fix if its port is in use', async () => {
    const first = startCli(['sandbox', '--port', '0']);
    await first.stdout.shows(/BASE_URL=/);
    const [, port = ''] = /:(\d+)\/api/.exec(first.stdout.plain) ?? [];
    const second = await run(['sandbox', '--port', port]);
    first.interrupts.interrupt();
    await first.done;
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('--port');
  });
});

describe('worker', () => {
  test('worker without settings exits with 2, and prints the lines to type', async () => {
    const ran = await run(['worker'], { cwd: folderWith() });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('export RENDERLINE_API_KEY=');
  });

  test('worker exits with 4 for a wrong key, and with 69 for an unreachable platform', async () => {
    const started = startCli(['sandbox', '--port', '0']);
    await started.stdout.shows(/BASE_URL=/);
    const [, url = ''] = /RENDERLINE_BASE_URL=(\S+)/.exec(started.stdout.plain) ?? [];
    const env = { RENDERLINE_BASE_URL: url, RENDERLINE_API_KEY: 'svc_wrong_key' };
    const cwd = folderWith();
    expect((await run(['worker'], { env, cwd })).code).toBe(4);
    started.interrupts.interrupt();
    await started.done;
    const unreachable = { ...env, RENDERLINE_BASE_URL: 'http://127.0.0.1:1/api/v1' };
    expect((await run(['worker'], { env: unreachable, cwd })).code).toBe(69);
  });
});
