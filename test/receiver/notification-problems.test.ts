// Tests notifications that a proxy has changed: which are accepted, and the reported cause of the others.
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { checkReceiver } from '../../src/app/doctor/remote.ts';
import { listen } from '../../src/settings/http-server.ts';
import { post, processed, receiver, secret, signatureOf } from './_receiver.ts';

interface Health {
  notifications: Record<string, number>;
  takenAt: string | null;
  troubles: Record<string, { count: number; lastAt: string; cause: string }>;
}

async function listening(more: Parameters<typeof receiver>[0] = {}) {
  const told: string[] = [];
  const running = await receiver({ onTrouble: (message) => told.push(message), ...more });
  const health = async () => (await (await fetch(`${running.origin}/health`)).json()) as Health;
  return { ...running, told, health };
}

const body = processed('m1');
const spaced = JSON.stringify(JSON.parse(body), null, 2);
const signed = (key: string) => ({ 'x-service-signature': signatureOf(body, key) });

test.each(['/webhooks', '/webhooks/', '/webhooks//', '/webhooks?from=proxy'])(
  'a notification to %s is accepted',
  async (path) => {
    const { origin, told, health } = await listening();
    expect((await post(`${origin}${path}`, body)).status).toBe(200);
    expect(told).toEqual([]);
    expect(await health()).toMatchObject({ notifications: { accepted: 1 }, troubles: {} });
  },
);

test('a configured path with a slash at the end also accepts requests without the slash', async () => {
  const { origin } = await listening({ path: '/in/' });
  expect((await post(`${origin}/in`, body)).status).toBe(200);
  expect((await post(`${origin}/in/`, processed('m2'))).status).toBe(200);
});

describe.each([
  [
    'a prefix',
    '/api/webhooks',
    body,
    {},
    'misdirected',
    /the prefix \/api: .*--path \/api\/webhooks/,
  ],
  ['another path', '/hook', body, {}, 'misdirected', /to \/hook, .* uses \/webhooks; correct/],
  [
    'reformatted JSON',
    '/webhooks',
    spaced,
    signed(secret),
    'wrongSignature',
    /reformatted the JSON/,
  ],
  [
    'another secret',
    '/webhooks',
    body,
    signed('other'),
    'wrongSignature',
    /secret set here differs/,
  ],
  [
    'no signature',
    '/webhooks',
    body,
    { 'x-service-signature': '' },
    'unsigned',
    /removes the header/,
  ],
] as const)('a notification with %s', (_, path, bytes, headers, kind, cause) => {
  test('the problem is logged once, counted in /health, and reported by doctor', async () => {
    const { origin, told, health } = await listening();
    for (let times = 0; times < 3; times += 1) {
      const { status } = await post(`${origin}${path}`, bytes, headers);
      expect(status).toBe(kind === 'misdirected' ? 404 : 401);
    }
    expect(told).toEqual([expect.stringMatching(cause)]);
    expect(told.join()).not.toContain(secret);
    const { troubles, notifications } = await health();
    expect(troubles).toEqual({
      [kind]: {
        count: 3,
        lastAt: expect.stringMatching(/^20\d\d-.*Z$/),
        cause: expect.stringMatching(cause),
      },
    });
    expect(notifications[kind === 'misdirected' ? kind : 'refused']).toBe(3);
    const [answers, line] = await checkReceiver(`${origin}/wake-ups`);
    expect(answers).toMatchObject({ state: 'ok' });
    expect(line).toMatchObject({ state: 'warn', message: expect.stringMatching(cause) });
    expect(line?.message).toContain('3 notifications rejected');
  });
});

test('an unrelated request to another path is not reported', async () => {
  const { origin, told, health } = await listening();
  await fetch(`${origin}/wp-login.php`, { method: 'POST', body: 'x' });
  expect(told).toEqual([]);
  expect((await health()).troubles).toEqual({});
});

test('a problem is logged again after an hour, with the number of occurrences so far', async () => {
  let nowMs = Date.now();
  const { origin, told } = await listening({ now: () => nowMs });
  for (const laterMs of [0, 60_000, 3_500_000, 3_600_000]) {
    nowMs += laterMs;
    await post(`${origin}/api/webhooks`, body);
  }
  expect(told.map((message) => /\((\d) so far\)/.exec(message)?.[1])).toEqual(['1', '4']);
});

test('a long path is truncated in the message', async () => {
  const { origin, told } = await listening();
  await post(`${origin}/${'x'.repeat(5_000)}/webhooks`, body);
  expect(told[0]?.length).toBeLessThan(500);
});

describe('doctor', () => {
  test('doctor does not warn about a problem that has been fixed', async () => {
    const { origin } = await listening();
    await post(`${origin}/api/webhooks`, body);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await post(`${origin}/webhooks`, body);
    const checks = await checkReceiver(`${origin}/wake-ups`);
    expect(checks.map(({ state }) => state)).toEqual(['ok', 'ok']);
    expect(checks[0]?.message).toMatch(/last notification accepted 20/);
  });

  test('doctor reports a refusal of notifications with its fix', async () => {
    const fault = { code: 'CODEC_KEY_MISSING', message: 'the key is not here', fix: 'set it' };
    const { origin } = await listening({ findProblem: () => fault });
    const message = expect.stringContaining('refuses notifications that start runs: the key');
    const [line] = await checkReceiver(`${origin}/wake-ups`);
    expect(line).toMatchObject({ state: 'warn', message, fix: 'set it' });
  });

  test('doctor warns if the connection is refused', async () => {
    const [line] = await checkReceiver('http://127.0.0.1:1/wake-ups');
    const message = expect.stringContaining('connection refused');
    expect(line).toMatchObject({ state: 'warn', message });
  });

  test('doctor warns if the server is not a receiver', async () => {
    const server = createServer((_, response) => response.end('<html>'));
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    const [line] = await checkReceiver(`http://127.0.0.1:${port}/wake-ups`);
    server.close();
    const message = expect.stringContaining('is not a receiver');
    expect(line).toMatchObject({ state: 'warn', message });
  });
});
