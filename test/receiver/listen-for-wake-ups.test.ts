// Tests a worker that reads from a server that is not a receiver: the number of bytes is limited.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listenForWakeUps } from '../../src/receiver/listen-for-wake-ups.ts';
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

it.each([
  ['with too many values', `{"cursor":"a","wakeUps":[${'[],'.repeat(1_000_000)}""]}`, /values/],
  ['with deep nesting', `{"cursor":"a","wakeUps":${'['.repeat(100)}${']'.repeat(100)}}`, /nested/],
])('a response %s is not parsed', async (_, text, reason) => {
  expect(await heard((out) => out.end(text))).toMatch(reason);
});
