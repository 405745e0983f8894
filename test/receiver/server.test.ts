// Tests the receiver over HTTP: which requests are accepted, and the responses.
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { wakeUpToken } from '../../src/receiver/wake-up-token.ts';
import type { ConnectionCaps } from '../../src/settings/connections.ts';
import type { ServerTimeouts } from '../../src/settings/http-server.ts';
import { apiKey, post, processed, receiver, signatureOf } from './_receiver.ts';

const body = processed('m1');
const hintsOf = async ({ feed }: Awaited<ReturnType<typeof receiver>>, cursor: string) =>
  (await feed.read(cursor, 1, new AbortController().signal)).wakeUps;
const begin = async ({ feed }: Awaited<ReturnType<typeof receiver>>) =>
  (await feed.read(null, 0, new AbortController().signal)).cursor;

describe('a notification', () => {
  test('a notification from the platform is accepted and becomes a wake-up', async () => {
    const running = await receiver();
    const cursor = await begin(running);
    expect((await post(running.url, body)).status).toBe(200);
    expect(await hintsOf(running, cursor)).toEqual(['model/m1']);
  });

  test('a notification that arrives a hundred times counts as one event', async () => {
    const running = await receiver();
    const cursor = await begin(running);
    for (let copies = 0; copies < 100; copies += 1) {
      expect((await post(running.url, body)).status).toBe(200);
    }
    expect(await hintsOf(running, cursor)).toEqual(['model/m1']);
    expect(running.handler.counts).toMatchObject({ accepted: 1, repeated: 99 });
  });

  test.each([
    ['unsigned', body, { 'x-service-signature': '' }, 401],
    ['signed with another secret', body, { 'x-service-signature': signatureOf(body, 'x') }, 401],
    ['signed for other bytes', `${body} `, { 'x-service-signature': signatureOf(body) }, 401],
    ['signed but not JSON', '{', {}, 400],
    ['signed but about an unknown event', '{"event":"model.exploded","data":{}}', {}, 200],
    ['compressed', body, { 'content-encoding': 'gzip' }, 415],
    ['10 MB large', 'x'.repeat(10_000_000), { 'x-service-signature': 'a'.repeat(64) }, 413],
  ])('a notification that is %s adds no wake-up', async (_what, text, headers, status) => {
    const running = await receiver();
    const cursor = await begin(running);
    // A client that is still sending when the response arrives may find the connection closed.
    const answer = await post(running.url, text, headers).then(
      (response) => response.status,
      () => status,
    );
    expect(answer).toBe(status);
    expect(await hintsOf(running, cursor)).toEqual([]);
  });

  test('the refusal of a notification has an empty body and is counted', async () => {
    const running = await receiver();
    const answer = await post(running.url, body, { 'x-service-signature': 'a'.repeat(64) });
    expect(await answer.text()).toBe('{}');
    await post(running.url, body, { 'x-service-signature': 'short' });
    const health = (await (await fetch(`${running.origin}/health`)).json()) as object;
    expect(health).toMatchObject({ status: 'ok', notifications: { refused: 2, accepted: 0 } });
  });

  test('a body of unknown length is read only up to the limit', async () => {
    const running = await receiver();
    const answer = await raw(
      running.origin,
      `POST /webhooks HTTP/1.1\r\nhost: x\r\nx-service-signature: ${'a'.repeat(64)}\r\n` +
        `transfer-encoding: chunked\r\n\r\n${`10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(5)}`,
    );
    expect(answer).toContain(' 413 ');
  });
});

const agoMs = (ms: number) => new Date(Date.now() - ms).toISOString();

describe('a replay', () => {
  test('a replay is refused even after more events than the receiver can remember', async () => {
    const { handler, url } = await receiver({ seen: { max: 5, freshForMs: 3_600_000 } });
    const first = processed('m0', agoMs(1_000));
    expect((await post(url, first)).status).toBe(200);
    for (let n = 1; n <= 20; n += 1) await post(url, processed(`m${n}`, agoMs(1_000 - n)));
    expect((await post(url, first)).status).toBe(400);
    expect(handler.counts).toMatchObject({ accepted: 21, stale: 1, repeated: 0 });
  });

  test.each<[string, string, number]>([
    ['from a day and a minute ago', agoMs(24 * 3_600_000 + 60_000), 400],
    ['from a minute less than a day ago', agoMs(24 * 3_600_000 - 60_000), 200],
    ['from a clock that is a minute ahead', agoMs(-60_000), 200],
    ['with a timestamp six minutes ahead', agoMs(-6 * 60_000), 400],
    ['from the year 9999', '9999-12-31T23:59:59.999Z', 400],
    ['without a timestamp', '', 200],
  ])(
    'the timestamp decides whether a first delivery %s is accepted',
    async (_what, timestamp, status) => {
      const { url } = await receiver();
      expect((await post(url, processed('m1', timestamp))).status).toBe(status);
    },
  );
});

describe('a notification with a future timestamp', () => {
  test('a notification with a future timestamp is not stored, and is reported with the fix', async () => {
    const kept: string[] = [];
    const told: string[] = [];
    const { handler, url } = await receiver({
      persist: async ({ at }) => void kept.push(at),
      onTrouble: (message) => told.push(message),
      now: () => Date.parse('2026-05-04T03:02:01Z'),
    });
    expect((await post(url, processed('m1', '9999-12-31T23:59:59.999Z'))).status).toBe(400);
    expect(kept).toEqual([]);
    expect(handler.counts).toMatchObject({ accepted: 0, stale: 1 });
    expect(told).toEqual([expect.stringMatching(/9999-12-31.*2026-05-04T03:02:01.*NTP/)]);
  });
});

describe('an event', () => {
  test('an event counts as seen only after it has been stored', async () => {
    const kept: string[] = [];
    let isAway = true;
    const { url } = await receiver({
      persist: async ({ modelId = '' }) => {
        if (isAway) throw new Error('Temporal is away');
        kept.push(modelId);
      },
    });
    const one = processed('m1');
    expect((await post(url, one)).status).toBe(503);
    isAway = false;
    expect([(await post(url, one)).status, (await post(url, one)).status]).toEqual([200, 200]);
    expect(kept).toEqual(['m1']);
  });

  test('an event that arrives twice at the same time is stored once', async () => {
    const kept: string[] = [];
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { handler, url } = await receiver({
      persist: async ({ modelId = '' }) => {
        kept.push(modelId);
        await gate;
      },
    });
    const one = processed('m1');
    const both = [post(url, one), post(url, one)];
    await expect.poll(() => kept.length).toBe(1);
    letGo();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    expect(kept).toEqual(['m1']);
    expect(handler.counts).toMatchObject({ accepted: 1, repeated: 1 });
  });
});

describe('idle connections', () => {
  test.each<[string, ConnectionCaps]>([
    ['from one network', { maxConnections: 100, maxOfNetwork: 4 }],
    ['from all networks', { maxConnections: 4, maxOfNetwork: 100 }],
  ])(
    'idle connections %s do not block new connections, because the oldest are closed',
    async (_what, caps) => {
      const { origin, url } = await receiver({ caps });
      const { port } = new URL(origin);
      const idle: Socket[] = [];
      let closed = 0;
      for (let n = 0; n < 12; n += 1) {
        const socket = connect(Number(port), '127.0.0.1');
        socket
          .on('error', () => undefined)
          .once('close', () => {
            closed += 1;
          });
        await new Promise((done) => socket.once('connect', done));
        idle.push(socket);
      }
      onTestFinished(() => idle.forEach((socket) => socket.destroy()));
      expect((await post(url, processed('m1'))).status).toBe(200);
      await expect.poll(() => closed).toBe(9);
    },
  );
});

describe('other requests', () => {
  test.each([
    ['GET', '/webhooks', 405],
    ['PUT', '/webhooks', 405],
    ['POST', '/', 404],
    ['POST', '/webhooks/', 401],
    ['GET', '/webhooks/', 405],
    ['POST', '/webhooks/x', 404],
    ['GET', '/health', 200],
    ['POST', '/wake-ups', 405],
    ['GET', '/wake-ups', 401],
  ])('%s %s gets status %i', async (method, path, status) => {
    const { origin } = await receiver();
    expect((await fetch(`${origin}${path}`, { method })).status).toBe(status);
  });
});

describe('a slow sender', () => {
  const body = (length: number) =>
    `POST /webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\nx-service-signature: ${'a'.repeat(64)}\r\n\r\n{`;
  const never = { headersMs: 60_000, requestMs: 60_000, checkIntervalMs: 20 };
  const unhurried = { graceMs: 60_000, bytesPerSecond: 1 };

  test.each<[string, ServerTimeouts, string]>([
    [
      'who sends headers',
      { ...never, headersMs: 50, body: unhurried },
      'POST /webhooks HTTP/1.1\r\nhost: x\r\n',
    ],
    [
      'who sends a whole request',
      { ...never, headersMs: 50, requestMs: 100, body: unhurried },
      body(99),
    ],
    ['who sends a body', { ...never, body: { graceMs: 100, bytesPerSecond: 1_000_000 } }, body(99)],
  ])('a slow sender %s gets a 408 response', async (_what, patience, beginning) => {
    const { origin } = await receiver({ timeouts: patience });
    expect(await raw(origin, beginning)).toContain(' 408 ');
  });

  test('a sender of a body at the required rate is still accepted after the grace period', async () => {
    const patience = { ...never, body: { graceMs: 50, bytesPerSecond: 1 } };
    const { origin, handler } = await receiver({ timeouts: patience });
    const text = processed('m1');
    const { port } = new URL(origin);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const head = `POST /webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\nx-service-signature: ${signatureOf(text)}\r\n\r\n`;
    // The client sends ten bytes every 20 ms, faster than required, for longer than the grace period. The first bytes
    // come with the headers, so that a busy machine does not hold them back for longer than that period.
    socket.write(head + text.slice(0, 10));
    for (let at = 10; at < text.length; at += 10) {
      await new Promise((done) => setTimeout(done, 20));
      socket.write(text.slice(at, at + 10));
    }
    await expect.poll(() => handler.counts.accepted).toBe(1);
  });
});

describe('wake-ups', () => {
  const asked = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  test('wake-ups are sent only to clients with the token of the same key', async () => {
    const { origin } = await receiver();
    expect((await fetch(`${origin}/wake-ups`, asked(wakeUpToken(apiKey)))).status).toBe(200);
    expect((await fetch(`${origin}/wake-ups`, asked(wakeUpToken('svc_other_key')))).status).toBe(
      401,
    );
    expect((await fetch(`${origin}/wake-ups`, asked(apiKey))).status).toBe(401);
  });

  test('the token for wake-ups does not reveal the key', () => {
    expect(wakeUpToken(apiKey)).not.toContain('secret');
  });
});

describe('stopping', () => {
  test('a receiver that stops responds to waiting workers immediately', async () => {
    const running = await receiver();
    const authorization = `Bearer ${wakeUpToken(apiKey)}`;
    const cursor = await begin(running);
    const poll = fetch(`${running.origin}/wake-ups?cursor=${cursor}`, {
      headers: { authorization },
    });
    await expect.poll(() => running.feed.readers).toBe(1);
    await running.stop();
    expect((await poll).status).toBe(200);
  });
});

/** Sends raw bytes and returns the whole response. */
function raw(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    // A reset after the response tells a rejected sender that the rest is not read.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}
