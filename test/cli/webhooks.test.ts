import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { folderWith } from './_folder.ts';
import { run, startCli } from './_run-cli.ts';

async function world() {
  const sandbox = await startSandbox({
    seed: 1,
    pictureScale: 0,
    rateLimit: 0,
    allowPrivateUrls: true,
  });
  onTestFinished(() => sandbox.stop());
  const env = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
  const api = async (method: string, body?: object) => {
    const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    return (await (await fetch(`${sandbox.url}/webhooks`, init)).json()) as { secret: string };
  };
  return { env, cwd: folderWith(), api };
}

const mine = 'https://hooks.example.com/webhooks';
const base = ['webhooks', '--port', '0', '--json'];

describe('webhooks', () => {
  test('webhooks registers itself, accepts notifications that the platform has signed, and stops at Ctrl-C with exit 0', async () => {
    const { api, ...place } = await world();
    const env = { ...place.env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const started = startCli([...base, '--register', mine], { ...place, env });
    await started.stdout.shows(/\}/);
    const shape = JSON.parse(started.stdout.text) as { url: string };
    expect(shape).toMatchObject({ schema: 'renderline/webhooks/v1', registered: mine });
    const { secret } = await api('PUT', { url: mine });
    const body = '{"event":"model.failed","data":{"modelId":"m1"}}';
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const answer = await fetch(shape.url, {
      method: 'POST',
      body,
      headers: { 'x-service-signature': signature },
    });
    expect(answer.status).toBe(200);
    started.interrupts.interrupt();
    const ended = await started.done;
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('1 accepted');
    expect(`${ended.stdout}${ended.stderr}`).not.toContain(secret);
  });

  test("webhooks exits with 2, prints the address of somebody else's webhook, and changes nothing", async () => {
    const { api, ...place } = await world();
    await api('PUT', { url: 'https://shop.example.com/hook' });
    const ran = await run([...base, '--register', mine], place);
    expect(ran.code).toBe(2);
    expect(ran.json()).toMatchObject({
      code: 'WEBHOOK_TAKEN',
      fix: expect.stringContaining('--replace'),
    });
    expect(ran.json<{ message: string }>().message).toContain('https://shop.example.com/hook');
    expect(await api('GET')).toMatchObject({ url: 'https://shop.example.com/hook' });
  });

  test('webhooks exits with 2 for an invalid port, and changes nothing', async () => {
    const { api, ...place } = await world();
    const args = ['webhooks', '--register', mine, '--port', '80990'];
    expect((await run(args, place)).code).toBe(2);
    expect(await api('GET')).toMatchObject({ configured: false });
  });

  test('a receiver without a webhook reports this and responds with 503, and its readiness does not depend on the webhook', async () => {
    const { api, ...place } = await world();
    const env = { ...place.env, TEMPORAL_ADDRESS: '127.0.0.1:1', RENDERLINE_HEALTH_PORT: '0' };
    const started = startCli(base, { ...place, env });
    await started.stdout.shows(/\}/);
    const { url, healthPort } = JSON.parse(started.stdout.text) as {
      url: string;
      healthPort: number;
    };
    expect(started.stderr.plain).toContain('none is registered');
    expect(started.stderr.plain).toContain('RENDERLINE_WEBHOOK_URL=https://HOST/webhooks');
    const readyz = async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).text();
    const send = async (secret: string) => {
      const body = '{"event":"model.failed","data":{"modelId":"m1"}}';
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = { 'x-service-signature': signature };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    expect(await send('any')).toBe(503);
    // It is not ready because of Temporal, which is unreachable here, not because of the webhook.
    expect(await readyz()).toMatch(/^not ready: No Temporal server responds/);
    started.interrupts.interrupt();
    expect((await started.done).code).toBe(0);
    expect(await api('GET')).toMatchObject({ configured: false });
  });

  test('webhooks registers RENDERLINE_WEBHOOK_URL as --register does', async () => {
    const { api, ...place } = await world();
    const env = { ...place.env, TEMPORAL_ADDRESS: '127.0.0.1:1', RENDERLINE_WEBHOOK_URL: mine };
    const started = startCli(base, { ...place, env });
    await started.stdout.shows(/\}/);
    expect(JSON.parse(started.stdout.text)).toMatchObject({ registered: mine });
    started.interrupts.interrupt();
    await started.done;
    expect(await api('GET')).toMatchObject({ url: mine });
  });

  test('a token in the address is sent to the platform, and is never printed', async () => {
    const { api, ...place } = await world();
    const url = `${mine}?token=canary-7`;
    const env = { ...place.env, TEMPORAL_ADDRESS: '127.0.0.1:1', RENDERLINE_WEBHOOK_URL: url };
    const started = startCli(base, { ...place, env });
    await started.stdout.shows(/\}/);
    expect(JSON.parse(started.stdout.text)).toMatchObject({ registered: mine });
    started.interrupts.interrupt();
    const { stdout, stderr } = await started.done;
    expect(`${stdout}${stderr}`).not.toContain('canary-7');
    expect(await api('GET')).toMatchObject({ url });
  });

  test.each(['ftp://hooks.example.com/?token=canary-7', 'hooks.example.com/?token=canary-7'])(
    'an invalid address is reported without its token: %s',
    async (url) => {
      const { api: _api, ...place } = await world();
      const { stdout, stderr, code } = await run([...base, '--register', url], place);
      expect(code).toBe(2);
      expect(`${stdout}${stderr}`).not.toContain('canary-7');
    },
  );

  test('a wrong key ends the command with exit 4, and the request is not retried', async () => {
    const { api: _api, ...place } = await world();
    const env = { ...place.env, RENDERLINE_API_KEY: 'svc_wrong' };
    expect((await run(base, { ...place, env })).code).toBe(4);
  });

  test('without Temporal, other notifications are accepted, and events that start runs get status 503', async () => {
    const { api, ...place } = await world();
    const { secret } = await api('PUT', { url: mine });
    const env = { ...place.env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const started = startCli(base, { ...place, env });
    await started.stdout.shows(/\}/);
    const { url } = JSON.parse(started.stdout.text) as { url: string };
    const status = async (event: string) => {
      const body = JSON.stringify({ event, data: { modelId: 'm1' } });
      const headers = {
        'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
      };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    expect([await status('model.failed'), await status('model.processed')]).toEqual([200, 503]);
    started.interrupts.interrupt();
    const { stderr } = await started.done;
    expect(stderr.match(/that start runs get status 503/g)).toHaveLength(1);
    expect(stderr).toContain('No Temporal server responds at 127.0.0.1:1');
    expect(stderr).toContain('export TEMPORAL_ADDRESS=HOST:7233');
  });

  test.each([
    ['a path that the receiver itself uses', ['--path', '/wake-ups'], 'WRONG_PATH'],
    ['a path without a slash', ['--path', 'hooks'], 'WRONG_PATH'],
    ['--replace alone', ['--replace'], 'USAGE'],
    ['an address without a scheme', ['--register', 'hooks.example.com'], 'USAGE'],
    ['an unencrypted address', ['--register', 'http://hooks.example.com/in'], 'USAGE'],
    ['a metadata host of a cloud', ['--register', 'https://metadata.google.internal/in'], 'USAGE'],
  ])('webhooks exits with 2 for %s', async (_what, flags, code) => {
    const { api: _api, ...place } = await world();
    const ran = await run([...base, ...flags], place);
    expect([ran.code, ran.json<{ code: string }>().code]).toEqual([2, code]);
  });
});
