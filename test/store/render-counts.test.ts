// Counting the renders of a month. The count is exact for several workers with one store, and for repeated calls.
import { describe, expect, it } from 'vitest';
import type { RenderCounts } from '../../src/store/calls/render-counts.ts';
import { renderCountsAt } from '../../src/store/calls/render-counts.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';

const month = '2026-11';
const call = (key: string, renders: number, of = month) => ({ month: of, key, renders });

/** Another worker, with an empty memory. */
function workerOn(
  bucket: MemoryBucket,
  { pipeline = 'shoes', timezone = 'UTC' }: { pipeline?: string | null; timezone?: string } = {},
): RenderCounts {
  return renderCountsAt(new MemoryConnector(bucket), pipeline, timezone);
}

describe('a month of ten renders', () => {
  it.each<[string, [number, boolean][], number]>([
    [
      'accepts all calls that fit',
      [
        [4, true],
        [6, true],
      ],
      10,
    ],
    [
      'refuses a call that does not fit, and then accepts a smaller one',
      [
        [8, true],
        [3, false],
        [2, true],
      ],
      10,
    ],
    ['refuses a call that is too large for any month', [[11, false]], 0],
  ])('the month %s', async (_what, calls, used) => {
    const bucket = new MemoryBucket();
    const counts = workerOn(bucket);
    const taken: [number, boolean][] = [];
    for (const [index, [renders]] of calls.entries()) {
      const { isCounted } = await counts.reserve(call(`k${index}`, renders), 10);
      taken.push([renders, isCounted]);
    }
    expect(taken).toEqual(calls);
    expect(await workerOn(bucket).countUsed(month)).toBe(used);
  });

  it('the month reports how many renders still fit', async () => {
    const counts = workerOn(new MemoryBucket());
    await counts.reserve(call('a', 7), 10);
    expect(await counts.reserve(call('b', 5), 10)).toEqual({ isCounted: false, left: 3 });
  });

  it('the month is independent of other months and pipelines, and of the limit of the workspace', async () => {
    const bucket = new MemoryBucket();
    await workerOn(bucket).reserve(call('a', 10), 10);
    const { isCounted } = await workerOn(bucket).reserve(call('b', 10, '2026-12'), 10);
    const used = [
      workerOn(bucket).countUsed('2026-12'),
      workerOn(bucket, { pipeline: 'boots' }).countUsed(month),
      workerOn(bucket, { pipeline: null }).countUsed(month),
    ];
    expect([isCounted, await Promise.all(used)]).toEqual([true, [10, 0, 0]]);
  });
});

describe('counting the renders of a call', () => {
  it('a repeated call is counted once, even by another worker', async () => {
    const bucket = new MemoryBucket();
    const first = workerOn(bucket);
    const counted = [
      await first.reserve(call('a', 4), 5),
      await first.reserve(call('a', 4), 5),
      await workerOn(bucket).reserve(call('a', 4), 5),
    ];
    expect(counted).toEqual(Array.from({ length: 3 }, () => ({ isCounted: true })));
    expect(await workerOn(bucket).countUsed(month)).toBe(4);
    expect([await first.has(month, 'a'), await first.has(month, 'b')]).toEqual([true, false]);
  });

  it.each([
    ['was refused', 0, 0],
    ['started fewer renders', 3, 3],
    ['started all of its renders', 4, 4],
  ])('a call that %s returns the rest to the quota', async (_what, started, used) => {
    const bucket = new MemoryBucket();
    const counts = workerOn(bucket);
    await counts.reserve(call('a', 4), 4);
    await counts.correct(call('a', started));
    expect(await counts.countUsed(month)).toBe(used);
    const { isCounted } = await workerOn(bucket).reserve(call('b', 4 - used), 4);
    expect(isCounted).toBe(true);
  });

  it('a call that was returned to the quota is counted again when repeated', async () => {
    const counts = workerOn(new MemoryBucket());
    await counts.reserve(call('a', 4), 4);
    await counts.correct(call('a', 0));
    expect(await counts.reserve(call('a', 4), 4)).toEqual({ isCounted: true });
    expect(await counts.countUsed(month)).toBe(4);
  });

  it('a call that was never counted is not counted by a correction', async () => {
    const counts = workerOn(new MemoryBucket());
    await counts.correct(call('a', 4));
    expect(await counts.countUsed(month)).toBe(0);
  });

  it('a call whose entry was written, although its response was lost, is counted once', async () => {
    const bucket = new MemoryBucket();
    const connector = new MemoryConnector(bucket);
    const write = connector.write.bind(connector);
    let isLost = true;
    connector.write = async (...args) => {
      const outcome = await write(...args);
      if (!isLost) return outcome;
      isLost = false;
      throw new Error('the connection broke');
    };
    const counts = renderCountsAt(connector, 'shoes', 'UTC');
    await expect(counts.reserve(call('a', 4), 5)).rejects.toThrow('the connection broke');
    expect(await counts.reserve(call('a', 4), 5)).toEqual({ isCounted: true });
    expect(await counts.countUsed(month)).toBe(4);
  });
});

describe('several workers with one store', () => {
  it('several workers never exceed the quota, and use all of it', async () => {
    const bucket = new MemoryBucket();
    const calls = Array.from({ length: 90 }, (_, index) => call(`k${index}`, 1 + (index % 4)));
    const workers = [0, 1, 2].map((nth) => ({
      counts: workerOn(bucket),
      own: calls.filter((_, index) => index % 3 === nth),
    }));
    const taken = await Promise.all(
      workers.flatMap(({ counts, own }) =>
        own.map(async (one) => ((await counts.reserve(one, 100)).isCounted ? one.renders : 0)),
      ),
    );
    expect(taken.reduce((sum, renders) => sum + renders, 0)).toBe(100);
    expect(await workerOn(bucket).countUsed(month)).toBe(100);
  });

  it('several workers can immediately use what one of them has returned', async () => {
    const bucket = new MemoryBucket();
    const [first, second] = [workerOn(bucket), workerOn(bucket)];
    await first.reserve(call('a', 10), 10);
    expect((await second.reserve(call('b', 1), 10)).isCounted).toBe(false);
    await first.correct(call('a', 9));
    expect((await second.reserve(call('b', 1), 10)).isCounted).toBe(true);
  });

  it('workers in different time zones are refused, because their months differ', async () => {
    const bucket = new MemoryBucket();
    await workerOn(bucket).reserve(call('a', 1), 10);
    const other = workerOn(bucket, { timezone: 'Europe/Berlin' });
    await expect(other.reserve(call('b', 1), 10)).rejects.toMatchObject({
      message: expect.stringContaining(
        'by month in the time zone UTC, but this pipeline file sets Europe/Berlin',
      ),
      runCause: { code: 'QUOTA_TIMEZONE', kind: 'never' },
    });
  });
});

describe('reserving renders', () => {
  it('one create reserves renders for a call, and a second one for all calls that waited during the first', async () => {
    const operations: string[] = [];
    const connector = new MemoryConnector(new MemoryBucket(), async (operation) => {
      operations.push(operation);
    });
    const counts = renderCountsAt(connector, 'shoes', 'UTC');
    await counts.reserve(call('first', 1), 1_000);
    operations.length = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => counts.reserve(call(`k${index}`, 10), 1_000)),
    );
    expect(operations).toEqual(['create', 'create']);
  });
});
