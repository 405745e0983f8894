// Tests the totals of a run: what each ended shard adds to them.
import { describe, expect, it, test } from 'vitest';
import type { Discovery, ShardResult } from '../../src/plan/contract/contract.ts';
import type { Failure } from '../../src/plan/types.ts';
import { RunTotals } from '../../workflows/run/run-totals.ts';

const failure = (key: string, message = 'no'): Failure => ({
  key,
  node: 'render',
  code: 'RENDER_FAILED',
  message,
  attempts: 1,
});

const totals = (total: number, complete = 0, failed = 0, skipped = 0) => ({
  total,
  complete,
  failed,
  skipped,
});

const found = (given: Partial<Discovery>): Discovery => ({
  pages: 1,
  total: 0,
  new: 0,
  changed: 0,
  unchanged: 0,
  refused: 0,
  ...given,
});

const result = (given: Partial<ShardResult>): ShardResult => ({
  shard: 0,
  totals: totals(0),
  steps: {},
  failures: [],
  failedModels: [],
  requests: {},
  historyEvents: 0,
  takenByOtherRuns: [],
  ...given,
});

const keysOf = (books: RunTotals) => books.carried.failures.map(({ key }) => key);

/** The totals of the next execution of the run. */
function carriedOn(books: RunTotals): RunTotals {
  const { carried } = books;
  const discovery = found({});
  return new RunTotals({ ...carried, continuations: carried.continuations + 1, discovery }, 99);
}

describe('a discovered asset without a shard', () => {
  const discovery = found({
    total: 20,
    new: 3,
    changed: 2,
    unchanged: 11,
    refused: 1,
    refusals: [failure('odd.glb')],
  });

  it('a discovered asset without a shard counts as failed if it was refused, and as skipped if it is unchanged or still changing', () => {
    const books = new RunTotals(undefined, 7);
    books.addDiscovery(discovery, null);
    expect(books.carried.totals).toEqual(totals(15, 0, 1, 14));
    expect(keysOf(books)).toEqual(['odd.glb']);
    expect(books.carried.startedAtMs).toBe(7);
  });

  it('a discovered asset without a shard is counted once, however often the run is continued', () => {
    const books = new RunTotals(undefined, 7);
    books.addDiscovery(discovery, null);
    const next = carriedOn(books);
    next.addDiscovery(discovery, null);
    expect(next.carried.totals).toEqual(totals(15, 0, 1, 14));
    expect(keysOf(next)).toEqual(['odd.glb']);
    expect(next.carried.startedAtMs).toBe(7);
  });
});

describe('a later discovery page', () => {
  it('a later discovery page adds to the earlier pages, even in a continuation', () => {
    const books = new RunTotals(undefined, 7);
    const first = found({
      total: 20,
      new: 5,
      unchanged: 14,
      refused: 1,
      refusals: [failure('odd.glb')],
      nextDiscoveryPage: 1,
    });
    books.addDiscovery(first, null);
    const next = carriedOn(books);
    next.addDiscovery(first, null);
    const more = { ...first, total: 45, unchanged: 29, new: 15 };
    next.addDiscovery(more, first);
    expect(next.carried.totals).toEqual(totals(30, 0, 1, 29));
    expect(keysOf(next)).toEqual(['odd.glb']);
    const refusals = [failure('odd.glb'), failure('late.glb')];
    next.addDiscovery({ ...more, total: 46, refused: 2, refusals }, more);
    expect(next.carried.totals).toEqual(totals(31, 0, 2, 29));
    expect(keysOf(next)).toEqual(['odd.glb', 'late.glb']);
  });
});

describe('a finished shard', () => {
  it('a finished shard adds its totals, steps, requests and events to those of the others', () => {
    const books = new RunTotals(undefined, 0);
    const step = { waiting: 1, running: 2, done: 3, failed: 4 };
    const one = { totals: totals(5, 2, 2, 1), steps: { a: step }, historyEvents: 40 };
    books.addFinishedShard(result({ ...one, requests: { getModel: 3 } }));
    books.addFinishedShard(
      result({ ...one, steps: { b: step }, requests: { getModel: 1, upload: 2 } }),
    );
    books.addFinishedShard(result({ ...one, steps: { a: step } }));
    expect(books.carried).toMatchObject({
      totals: totals(15, 6, 6, 3),
      steps: { a: { waiting: 2, running: 4, done: 6, failed: 8 }, b: step },
      requests: { getModel: 4, upload: 2 },
      historyEvents: 120,
    });
  });

  it('a finished shard adds its failed models, up to a total of fifty', () => {
    const books = new RunTotals(undefined, 0);
    const models = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => `m${from + at}`);
    books.addFinishedShard(result({ failedModels: models(0, 30) }));
    books.addFinishedShard(result({ failedModels: models(30, 30) }));
    books.addFinishedShard(result({ failedModels: ['late'] }));
    expect(books.carried.failedModels).toEqual(models(0, 50));
  });

  it('assets left to other runs are added up for each of those runs', () => {
    const books = new RunTotals(undefined, 0);
    books.addFinishedShard(result({ takenByOtherRuns: [{ run: 'r1', assets: 2 }] }));
    books.addFinishedShard(result({ takenByOtherRuns: [{ run: 'r2', assets: 1 }] }));
    books.addFinishedShard(result({ takenByOtherRuns: [{ run: 'r1', assets: 3 }] }));
    expect(books.carried.takenByOtherRuns).toEqual([
      { run: 'r1', assets: 5 },
      { run: 'r2', assets: 1 },
    ]);
  });

  it('a finished shard lists at most twenty other runs, and continues counting their assets', () => {
    const books = new RunTotals(undefined, 0);
    const taken = Array.from({ length: 25 }, (_, at) => ({ run: `r${at}`, assets: 1 }));
    books.addFinishedShard(result({ takenByOtherRuns: taken }));
    books.addFinishedShard(result({ takenByOtherRuns: taken }));
    const expected = Array.from({ length: 20 }, (_, at) => ({ run: `r${at}`, assets: 2 }));
    expect(books.carried.takenByOtherRuns).toEqual(expected);
  });

  it('a finished shard does not change its report', () => {
    const taken = [{ run: 'r1', assets: 2 }];
    const books = new RunTotals(undefined, 0);
    books.addFinishedShard(result({ takenByOtherRuns: taken }));
    books.addFinishedShard(result({ takenByOtherRuns: [{ run: 'r1', assets: 1 }] }));
    expect(taken).toEqual([{ run: 'r1', assets: 2 }]);
  });

  it('a finished shard adds no field for other runs if there were none', () => {
    const books = new RunTotals(undefined, 0);
    books.addFinishedShard(result({}));
    expect('takenByOtherRuns' in books.carried).toBe(false);
  });
});

describe('failures in the result', () => {
  it('the result lists the first two hundred failures', () => {
    const books = new RunTotals(undefined, 0);
    const failures = Array.from({ length: 150 }, (_, at) => failure(`a${at}`));
    books.addFinishedShard(result({ failures }));
    books.addFinishedShard(result({ failures: failures.map(({ key }) => failure(`b${key}`)) }));
    expect(books.carried.failures).toHaveLength(200);
    expect(keysOf(books).at(-1)).toBe('ba49');
  });

  it('the result lists fewer failures, in at most 30,000 bytes, if their messages are long', () => {
    const books = new RunTotals(undefined, 0);
    const long = Array.from({ length: 20 }, (_, at) => failure(`a${at}`, 'ä'.repeat(2_000)));
    books.addFinishedShard(result({ failures: long }));
    expect(books.carried.failures).toHaveLength(7);
  });
});

describe('a shard that was cancelled', () => {
  const report = { totals: totals(10, 4, 1, 2), failures: [failure('a')] };

  test.each([
    ['with its run adds only its last report', undefined, 1, ['a']],
    ['alone adds the rest of its assets as failed', failure('shard 1'), 4, ['a', 'shard 1']],
  ])('a shard that was cancelled %s', (_, why, failed, keys) => {
    const books = new RunTotals(undefined, 0);
    books.addCancelledShard(report, why);
    expect(books.carried.totals).toEqual(totals(10, 4, failed, 2));
    expect(keysOf(books)).toEqual(keys);
  });

  it('a cancelled shard adds no failure if all its assets had ended', () => {
    const books = new RunTotals(undefined, 0);
    books.addCancelledShard({ totals: totals(3, 1, 1, 1) }, failure('shard 1'));
    expect(books.carried.totals).toEqual(totals(3, 1, 1, 1));
    expect(keysOf(books)).toEqual([]);
  });

  it('a cancelled shard adds no counts if it never reported', () => {
    const books = new RunTotals(undefined, 0);
    books.addCancelledShard({});
    expect(books.carried.totals).toEqual(totals(0));
  });
});

describe('a broken shard', () => {
  const why = failure('shard 2');

  test.each([
    // size, recorded totals, sum, failed keys
    [10, totals(10, 4, 1, 2), totals(10, 4, 4, 2), ['a', 'shard 2']],
    [10, totals(0), totals(10, 0, 10, 0), ['a', 'shard 2']],
    [7, totals(7, 4, 1, 2), totals(7, 4, 1, 2), ['a']],
    // If more assets are recorded than the shard has, no count is lost or below zero.
    [6, totals(7, 4, 1, 2), totals(6, 4, 1, 2), ['a']],
  ])('a broken shard of %i assets with the records %j adds %j', (size, written, sum, keys) => {
    const books = new RunTotals(undefined, 0);
    books.addBrokenShard(size, { totals: written, failures: [failure('a')], reason: null }, why);
    expect(books.carried.totals).toEqual(sum);
    expect(keysOf(books)).toEqual(keys);
  });
});

describe('sums with running shards', () => {
  it('sums with running shards contain the last reports, and leave the totals unchanged', () => {
    const books = new RunTotals(undefined, 0);
    const step = { waiting: 0, running: 1, done: 0, failed: 0 };
    books.addFinishedShard(
      result({ totals: totals(2, 2), steps: { a: step }, requests: { x: 1 }, historyEvents: 5 }),
    );
    const before = structuredClone(books.carried);
    const reports = [
      { totals: totals(3, 1, 1), steps: { a: step }, requests: { x: 2 }, historyEvents: 7 },
      { failures: [failure('b')] },
      {},
    ];
    expect(books.withReports(reports)).toEqual({
      totals: totals(5, 3, 1),
      steps: { a: { ...step, running: 2 } },
      requests: { x: 3 },
      historyEvents: 12,
      failures: [failure('b')],
    });
    expect(books.carried).toEqual(before);
  });

  it('sums with running shards list the failures of finished shards first', () => {
    const books = new RunTotals(undefined, 0);
    books.addFinishedShard(result({ failures: [failure('done')] }));
    const { failures } = books.withReports([{ failures: [failure('under way')] }]);
    expect(failures.map(({ key }) => key)).toEqual(['done', 'under way']);
  });
});
