// Senders that never finish, from many addresses: a signed notification gets through all the same.
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { post, processed, receiver } from './_receiver.ts';

const slowBody = `POST /webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\nx-service-signature: ${'a'.repeat(64)}\r\n\r\n{`;
const slowHeaders = 'POST /webhooks HTTP/1.1\r\nhost: x\r\n';

/** Keeps this many requests open from each address, and begins another for each that is ended. */
async function besiege(origin: string, addresses: readonly string[], each: number, bytes: string) {
  const port = Number(new URL(origin).port);
  let isOver = false;
  const begin = (localAddress: string): Promise<void> =>
    new Promise((begun) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined);
      socket.once('connect', () => socket.write(bytes, () => begun()));
      socket.once('close', () => {
        begun();
        if (!isOver) setImmediate(() => void begin(localAddress));
      });
      onTestFinished(() => {
        isOver = true;
        socket.destroy();
      });
    });
  const all = addresses.flatMap((address) => Array.from({ length: each }, () => begin(address)));
  await Promise.all(all);
}

describe('slow senders', () => {
  const networks = [1, 2, 3, 4, 5, 6].map((network) => `127.0.${network}.1`);
  const neighbours = [11, 12, 13, 14, 15, 16].map((host) => `127.0.1.${host}`);

  test.each<[string, readonly string[], string]>([
    ['of bodies, in six networks', networks, slowBody],
    ['of headers, in six networks', networks, slowHeaders],
    ['of bodies, in one network', neighbours, slowBody],
    ['of bodies, at the address of the sender itself', ['127.0.0.1'], slowBody],
  ])('%s keep no event out', async (_what, addresses, bytes) => {
    const { intake, origin, url } = await receiver({ caps: { max: 60, maxOfNetwork: 20 } });
    await besiege(origin, addresses, 20, bytes);
    const answers: number[] = [];
    for (let event = 0; event < 40; event += 1) {
      const answer = await post(url, processed(`m${event}`)).catch(() => null);
      answers.push(answer?.status ?? 0);
    }
    expect(answers).toEqual(Array.from({ length: 40 }, () => 200));
    expect(intake.counts.accepted).toBe(40);
  });
});
