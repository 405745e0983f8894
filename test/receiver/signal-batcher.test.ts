// Tests batches of events: simultaneous events are sent together, and each sender gets the result.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SignalBatcher } from '../../src/receiver/signal-batcher.ts';

describe('a signal batcher', () => {
  test('a signal batcher sends simultaneous events in one batch, in order', async () => {
    const sent: string[][] = [];
    const outbox = new SignalBatcher<string>(async (events) => sent.push([...events]));
    await Promise.all(['a', 'b', 'c'].map((event) => outbox.add(event)));
    expect(sent).toEqual([['a', 'b', 'c']]);
  });

  test('a signal batcher limits the number of events of a batch', async () => {
    const sizes: number[] = [];
    const outbox = new SignalBatcher<number>(async (events) => sizes.push(events.length));
    await Promise.all(Array.from({ length: 450 }, (_, index) => outbox.add(index)));
    expect(sizes).toEqual([100, 100, 100, 100, 50]);
  });

  test('a full batch is not followed by an empty one', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sizes: number[] = [];
    const outbox = new SignalBatcher<number>(async (events) => sizes.push(events.length));
    await Promise.all(Array.from({ length: 100 }, (_, index) => outbox.add(index)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sizes).toEqual([100]);
  });

  test('a signal batcher limits the number of bytes of a batch', async () => {
    const sizes: number[] = [];
    const outbox = new SignalBatcher<string>(async (events) => {
      sizes.push(Buffer.byteLength(JSON.stringify(events)));
    });
    await Promise.all(Array.from({ length: 30 }, () => outbox.add('語'.repeat(3_000))));
    expect(sizes).toHaveLength(6);
    expect(Math.max(...sizes)).toBeLessThan(60_000);
  });

  test('a signal batcher rejects every sender if the batch fails, but still sends later events', async () => {
    let away = true;
    const outbox = new SignalBatcher<string>(async () => {
      if (away) throw new Error('Temporal is away');
    });
    const posts = await Promise.allSettled([outbox.add('a'), outbox.add('b')]);
    expect(posts.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    away = false;
    await outbox.add('a');
  });
});
