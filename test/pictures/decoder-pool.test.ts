// The number of concurrent decoders. The decoders wait until the test releases them.
import { describe, expect, it } from 'vitest';
import { decodeTimeoutMs, maxConcurrentDecodes } from '../../src/pictures/decoding/decode.ts';
import { type Decoder, DecoderPool } from '../../src/pictures/decoding/decoder-pool.ts';

const request = { file: 'picture.png', pixels: 1, memoryBytes: 1 };

/** Decoders that count how many are working. */
function counted() {
  const counts = { made: 0, working: 0, max: 0, ended: 0 };
  const waiting: (() => void)[] = [];
  const make = (): Decoder => {
    counts.made += 1;
    let isUsable = true;
    return {
      get isUsable() {
        return isUsable;
      },
      async decode({ file }) {
        counts.working += 1;
        counts.max = Math.max(counts.max, counts.working);
        await new Promise<void>((resolve) => waiting.push(resolve));
        counts.working -= 1;
        if (file !== 'hangs') return { kind: 'failed', message: file };
        isUsable = false;
        throw new Error('ended');
      },
      end() {
        isUsable = false;
        counts.ended += 1;
      },
    };
  };
  return {
    pool: new DecoderPool(make, {
      maxConcurrent: maxConcurrentDecodes,
      idleMs: 1,
      timeoutMs: decodeTimeoutMs,
    }),
    counts,
    waiting,
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a pool of decoders', () => {
  it('the pool decodes two pictures at a time, and returns its own result to each caller', async () => {
    const { pool, counts, waiting } = counted();
    const files = Array.from({ length: 12 }, (_, at) => `${at}.png`);
    const replies = Promise.all(files.map((file) => pool.decode({ ...request, file })));
    for (const _file of files) {
      await until(() => waiting.length > 0);
      expect(counts.working).toBeLessThanOrEqual(2);
      waiting.shift()?.();
    }
    expect((await replies).map((reply) => reply.kind === 'failed' && reply.message)).toEqual(files);
    expect(counts).toMatchObject({ max: 2, made: 2 });
  });

  it('the pool replaces a decoder that has ended, and completes the other pictures', async () => {
    const { pool, counts, waiting } = counted();
    const replies = Promise.allSettled(
      ['hangs', 'a', 'hangs', 'b', 'c'].map((file) => pool.decode({ ...request, file })),
    );
    for (let left = 5; left > 0; left -= 1) {
      await until(() => waiting.length > 0);
      waiting.shift()?.();
    }
    expect((await replies).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect([counts.max, counts.made >= 3]).toEqual([2, true]);
  });

  it('the pool stops idle decoders', async () => {
    const { pool, counts, waiting } = counted();
    const reply = pool.decode(request);
    await until(() => waiting.length > 0);
    waiting.shift()?.();
    await reply;
    await expect.poll(() => counts.ended).toBe(1);
  });
});
