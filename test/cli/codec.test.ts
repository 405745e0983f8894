// `renderline codec` requires a token, whether it is configured or generated.
import { describe, expect, onTestFinished, test } from 'vitest';
import { folderWith } from './_folder.ts';
import { run, startCli } from './_run-cli.ts';

const keys = { RENDERLINE_CODEC_KEYS: `a:${Buffer.alloc(32).toString('base64')}` };
const command = ['codec', '--port', '0'];

async function serving(argv: readonly string[], env: Record<string, string>, shows: RegExp) {
  const started = startCli(argv, { cwd: folderWith(), env: { ...keys, ...env } });
  onTestFinished(async () => {
    started.interrupts.interrupt();
    expect((await started.done).code).toBe(0);
  });
  await started.stdout.shows(shows);
  return started.stdout;
}

const decode = async (address: string, headers: Record<string, string> = {}) =>
  (await fetch(`${address}/decode`, { method: 'POST', headers, body: '{"payloads":[]}' })).status;

describe('without a configured token', () => {
  test('codec generates a token, and prints it in the address for the Temporal UI', async () => {
    const { text } = await serving([...command, '--json'], {}, /\}/);
    const { url, token } = JSON.parse(text) as { url: string; token: string };
    expect(token.length).toBeGreaterThan(30);
    expect(await decode(url)).toBe(401);
    expect(await decode(`${url}/${token}`)).toBe(200);
    expect(await decode(url, { authorization: `Bearer ${token}` })).toBe(200);
    const { plain } = await serving(command, {}, /-w RUN/);
    expect(plain).toMatch(/--codec-endpoint http:\/\/127\.0\.0\.1:\d+\/[\w-]{32} -w RUN/);
  });

  test('codec does not listen on other network interfaces', async () => {
    const argv = [...command, '--host', '0.0.0.0', '--json'];
    const ran = await run(argv, { cwd: folderWith(), env: keys });
    expect([ran.code, ran.json()]).toMatchObject([2, { code: 'NOT_LOOPBACK' }]);
  });
});

test('a configured token is required, and is never printed', async () => {
  const token = 'canary-token-7';
  const env = { RENDERLINE_CODEC_TOKEN: token };
  const { text } = await serving([...command, '--json'], env, /\}/);
  const { url, ...told } = JSON.parse(text) as { url: string };
  expect(told).not.toHaveProperty('token');
  expect([await decode(url), await decode(`${url}/${token}`)]).toEqual([401, 200]);
  const { plain } = await serving(command, env, /-w RUN/);
  expect(plain).toContain('/$RENDERLINE_CODEC_TOKEN -w RUN');
  expect(`${text}${plain}`).not.toContain(token);
});
