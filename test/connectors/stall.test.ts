// A stalled transfer is aborted. A transfer that makes progress may last for hours.
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendFile } from '../../src/connectors/bucket/bucket.ts';
import { requestTimes } from '../../src/connectors/bucket/request-times.ts';
import { readPieces, StalledError } from '../../src/connectors/bucket/stall.ts';
import { diagnoseNetworkError } from '../../src/connectors/bucket/store-errors.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const { idleMs } = requestTimes;

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

/** Created for each attempt of a client. */
const file = {
  bytes: 10,
  async *pieces() {
    for (let at = 0; at < 10; at += 1) yield Buffer.alloc(1);
  },
};

/** A client that accepts the given number of pieces, each after `everyMs`, and then waits forever. */
function send(taken: number, everyMs: number) {
  return sendFile(file, {}, ({ stream, signal }) => {
    const pieces = stream()[Symbol.asyncIterator]();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      let left = taken;
      const take = () => {
        left -= 1;
        if (left >= 0) void pieces.next().then(() => setTimeout(take, everyMs));
      };
      take();
    });
  });
}

describe('an upload', () => {
  it.each([
    ['reads no bytes', 0],
    ['stops reading partway through', 4],
    ['has read everything but does not respond', 10],
  ])(
    'an upload to a store that %s is aborted after a minute with a transient error',
    async (_, taken) => {
      const end = send(taken, 0).catch((error: unknown) => error);
      await pass(1_000);
      await pass(idleMs);
      const error = await end;
      expect(error).toBeInstanceOf(StalledError);
      expect(diagnoseNetworkError(error)).toMatchObject({ errorKind: 'unreachable' });
    },
  );

  it('an upload continues as long as pieces are read, however slowly', async () => {
    let ended = false;
    const end = send(10, idleMs - 1_000).catch(() => (ended = true));
    for (let piece = 0; piece < 9; piece += 1) await pass(idleMs - 1_000);
    expect(ended).toBe(false);
    await pass(3 * idleMs);
    await end;
    expect(ended).toBe(true);
  });
});

describe('reading a file', () => {
  it('the read fails if no piece arrives for a minute', async () => {
    const body = new Readable({ read: () => undefined });
    body.push('one');
    const pieces = readPieces(body);
    await pieces.next();
    const end = pieces.next().catch((error: unknown) => error);
    await pass(idleMs + 1);
    expect(await end).toBeInstanceOf(StalledError);
    expect(body.destroyed).toBe(true);
  });

  it('the read waits for a slow consumer', async () => {
    const body = Readable.from(['one', 'two'].map((text) => Buffer.from(text)));
    const pieces = readPieces(body);
    await pieces.next();
    await pass(10 * idleMs);
    expect(await pieces.next()).toMatchObject({ value: Buffer.from('two') });
  });
});
