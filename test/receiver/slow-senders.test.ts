// Tests that a signed notification gets through despite senders from many addresses that never finish.
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { wakeUpToken } from '../../src/receiver/wake-up-token.ts';
import { apiKey, post, processed, receiver, signatureOf } from './_receiver.ts';

const slowBody = `POST /webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\nx-service-signature: ${'a'.repeat(64)}\r\n\r\n{`;
const slowHeaders = 'POST /webhooks HTTP/1.1\r\nhost: x\r\n';

/**
 * Keeps this number of requests open from each address, and starts another for each that is closed. Settles when the
 * server has started to close connections.
 */
async function besiege(origin: string, addresses: readonly string[], each: number, bytes: string) {
  const port = Number(new URL(origin).port);
  let isOver = false;
  let ended = 0;
  const begin = (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    socket.once('connect', () => socket.write(bytes));
    socket.once('close', () => {
      ended += 1;
      if (!isOver) setImmediate(begin, localAddress);
    });
    onTestFinished(() => {
      isOver = true;
      socket.destroy();
    });
  };
  for (const address of addresses) for (let n = 0; n < each; n += 1) begin(address);
  await expect.poll(() => ended, { timeout: 20_000 }).toBeGreaterThan(each);
}

describe('slow senders', () => {
  const networks = [1, 2, 3, 4, 5, 6].map((network) => `127.0.${network}.1`);
  const neighbours = [11, 12, 13, 14, 15, 16].map((host) => `127.0.1.${host}`);

  test.each<[string, readonly string[], string]>([
    ['of bodies from six networks', networks, slowBody],
    ['of headers from six networks', networks, slowHeaders],
    ['of bodies from one network', neighbours, slowBody],
    ['of bodies from the address of the event sender', ['127.0.0.1'], slowBody],
  ])('slow senders %s do not block events', async (_what, addresses, bytes) => {
    const { handler, origin, url } = await receiver({
      caps: { maxConnections: 60, maxOfNetwork: 20 },
    });
    await besiege(origin, addresses, 30, bytes);
    const answers: number[] = [];
    for (let event = 0; event < 40; event += 1) {
      const answer = await post(url, processed(`m${event}`)).catch(() => null);
      answers.push(answer?.status ?? 0);
    }
    expect(answers).toEqual(Array.from({ length: 40 }, () => 200));
    expect(handler.counts.accepted).toBe(40);
  });

  test('slow senders in one network do not end an older request from another network', async () => {
    const { handler, origin } = await receiver({ caps: { maxConnections: 10, maxOfNetwork: 10 } });
    const body = processed('m1');
    const slow = connect({ port: Number(new URL(origin).port), host: '127.0.0.1' });
    onTestFinished(() => void slow.destroy());
    const head = `POST /webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\nx-service-signature: ${signatureOf(body)}\r\n\r\n`;
    await new Promise<void>((sent) => slow.write(`${head}${body.slice(0, 9)}`, () => sent()));
    await besiege(origin, ['127.0.5.1'], 20, slowBody);
    slow.write(body.slice(9));
    await expect.poll(() => handler.counts.accepted).toBe(1);
  });

  test('slow senders do not end a request that has arrived completely', async () => {
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const kept: string[] = [];
    const { feed, origin, url } = await receiver({
      caps: { maxConnections: 10, maxOfNetwork: 10 },
      persist: async ({ modelId = '' }) => {
        kept.push(modelId);
        await gate;
      },
    });
    const authorization = `Bearer ${wakeUpToken(apiKey)}`;
    const cursor = (await feed.read(null, 0, new AbortController().signal)).cursor;
    const poll = fetch(`${origin}/wake-ups?cursor=${cursor}`, { headers: { authorization } });
    await expect.poll(() => feed.readers).toBe(1);
    const waiting = post(url, processed('m1'));
    await expect.poll(() => kept).toEqual(['m1']);
    await besiege(origin, ['127.0.0.1'], 20, slowBody);
    letGo();
    expect((await waiting).status).toBe(200);
    expect((await poll).status).toBe(200);
  });
});
