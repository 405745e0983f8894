// Tests wake-ups for workers: sent at once, in order, from each worker's cursor, and bounded.
import { beforeEach, describe, expect, test } from 'vitest';
import { WakeUpStream } from '../../src/receiver/wake-up-stream.ts';

const never = new AbortController().signal;
let feed: WakeUpStream;
beforeEach(() => {
  feed = new WakeUpStream();
});

const begin = async () => (await feed.read(null, 0, never)).cursor;

describe('a reader', () => {
  test('a new reader gets no earlier wake-ups', async () => {
    feed.add(['model/old']);
    expect(await feed.read(null, 60_000, never)).toMatchObject({ wakeUps: [] });
  });

  test('a reader gets later wake-ups in order, and each only once', async () => {
    const cursor = await begin();
    feed.add(['model/a']);
    feed.add(['render/b']);
    const page = await feed.read(cursor, 60_000, never);
    expect(page.wakeUps).toEqual(['model/a', 'render/b']);
    feed.add(['model/c']);
    expect((await feed.read(page.cursor, 60_000, never)).wakeUps).toEqual(['model/c']);
  });

  test('a waiting reader gets a wake-up immediately, and two readers get the same one', async () => {
    const cursor = await begin();
    const readers = [feed.read(cursor, 60_000, never), feed.read(cursor, 60_000, never)];
    feed.add(['model/a']);
    for (const page of await Promise.all(readers)) expect(page.wakeUps).toEqual(['model/a']);
  });

  test('a reader ends at its timeout, when it aborts, and when the receiver stops', async () => {
    const cursor = await begin();
    expect((await feed.read(cursor, 1, never)).wakeUps).toEqual([]);
    const leaving = new AbortController();
    const left = feed.read(cursor, 60_000, leaving.signal);
    leaving.abort();
    expect((await left).wakeUps).toEqual([]);
    const stopped = feed.read(cursor, 60_000, never);
    feed.close();
    expect((await stopped).wakeUps).toEqual([]);
  });

  test('a reader with a cursor from another receiver process starts at the end of the list', async () => {
    const cursor = await begin();
    const next = new WakeUpStream();
    next.add(['model/a']);
    expect((await next.read(cursor, 60_000, never)).wakeUps).toEqual([]);
  });

  test.each(['', 'x', '1', '.1', 'x.-1', 'x.1.2'])(
    'a reader with the invalid cursor %o gets no earlier wake-ups',
    async (cursor) => {
      feed.add(['model/a']);
      expect((await feed.read(cursor, 60_000, never)).wakeUps).toEqual([]);
    },
  );

  test('a reader that lags far behind gets the latest ten thousand wake-ups', async () => {
    const cursor = await begin();
    feed.add(Array.from({ length: 10_500 }, (_, index) => `model/${index}`));
    const { wakeUps } = await feed.read(cursor, 60_000, never);
    expect([wakeUps.length, wakeUps[0], wakeUps.at(-1)]).toEqual([
      10_000,
      'model/500',
      'model/10499',
    ]);
  });
});
