// Tests a worker that reads from a server that is not a receiver, which is limited, or from several receivers.
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listenForWakeUps } from '../../src/receiver/listen-for-wake-ups.ts';
import { WakeUpStream } from '../../src/receiver/wake-up-stream.ts';
import { writeForever } from '../_endless-response.ts';

/** The state after the first response. */
async function heard(answer: (out: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, out) => answer(out)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const wakeUps: string[] = [];
  const reason = await new Promise<string>((resolve) => {
    const listening = listenForWakeUps({
      url: `http://127.0.0.1:${port}/wake-ups`,
      apiKey: 'k',
      onWakeUps: (some) => wakeUps.push(...some),
      onState: (state) => resolve(state.reason),
    });
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await listening.stop();
    });
  });
  expect(wakeUps).toEqual([]);
  return reason;
}

it('an endless response of wake-ups is read only up to the size limit', async () => {
  const many = Buffer.from('"render/x",'.repeat(10_000));
  let sent = 0;
  const reason = await heard((out) => {
    out.writeHead(200).write('{"cursor":"a","wakeUps":[');
    writeForever(out, many, (bytes) => {
      sent += bytes;
    });
  });
  expect(reason).not.toBe('');
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

it.each(['<html>', '{}', '{"cursor":1,"wakeUps":[]}'])(
  'the response %s of another server is reported in words',
  async (response) => {
    expect(await heard((out) => out.end(response))).toBe(
      'its response contains no wake-ups, so its URL is not that of a receiver',
    );
  },
);

it('receivers that share an address are not asked without a pause', async () => {
  const streams = [new WakeUpStream(), new WakeUpStream()];
  const stop = new AbortController();
  let requests = 0;
  const respond = async ({ url = '' }: IncomingMessage, out: ServerResponse) => {
    const { searchParams } = new URL(url, 'http://localhost');
    const stream = streams[requests++ % 2] as WakeUpStream;
    const page = await stream.read(searchParams.get('cursor'), 20_000, stop.signal);
    out.end(JSON.stringify(page));
  };
  const server = createServer((request, out) => void respond(request, out));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const states: boolean[] = [];
  const pauses = new EventEmitter();
  const paused = once(pauses, 'pause');
  const listening = listenForWakeUps({
    url: `http://127.0.0.1:${port}/wake-ups`,
    apiKey: 'k',
    onWakeUps: () => undefined,
    onState: (state) => states.push(state.listening),
    async pause(_waitMs, ended) {
      pauses.emit('pause');
      await once(ended, 'abort');
    },
  });
  await paused;
  await listening.stop();
  stop.abort();
  server.close();
  expect(states).toContain(true);
  expect(requests).toBeLessThan(5);
});

it.each([
  ['with too many values', `{"cursor":"a","wakeUps":[${'[],'.repeat(1_000_000)}""]}`, /values/],
  ['with deep nesting', `{"cursor":"a","wakeUps":${'['.repeat(100)}${']'.repeat(100)}}`, /nested/],
])('a response %s is not parsed', async (_, text, reason) => {
  expect(await heard((out) => out.end(text))).toMatch(reason);
});
