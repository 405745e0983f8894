// Comparison with the last release: which results are compared, and what counts as worse.
import { describe, expect, it } from 'vitest';
import {
  baselineOf,
  compareResults,
  formatComparison,
  hasWorseCounts,
  newestOfEach,
  ofNewestVersion,
} from '../../bench/compare.ts';
import { result } from './_results.ts';

describe('the result to compare with', () => {
  const now = result({ version: '2.0.0' });
  it.each([
    ['the last one of another version', [result({ date: '1' }), result({ date: '2' })], '2'],
    [
      'a result of another version, even if a newer one has the same version',
      [result({ date: '1' }), result({ date: '2', version: '2.0.0' })],
      '1',
    ],
    [
      'the last one of the same version if there is no other version',
      [result({ date: '1', version: '2.0.0' })],
      '1',
    ],
    ['only one of the same case', [result({ assets: 5 }), result({ workers: 3 })], undefined],
    ['none', [], undefined],
  ])('the result to compare with is %s', (_name, earlier, date) => {
    expect(baselineOf(now, earlier)?.date).toBe(date);
  });
});

describe('figures that are worse', () => {
  it.each([
    ['requests', { requests: 211 }, true],
    ['requests', { requests: 210 }, false],
    ['requests', { requests: 100 }, false],
    ['events', { events: 1_051 }, true],
    ['wall time, ms', { wall_ms: 25_001 }, true],
    ['wall time, ms', { wall_ms: 25_000 }, false],
    ['CPU of workers and server, ms', { worker_cpu_ms: 10_501 }, true],
    ['CPU of workers and server, ms', { worker_cpu_ms: 10_500 }, false],
    ['memory of a worker, MiB', { worker_peak_mib: 376 }, true],
  ])('the figure "%s" of %j is worse: %s', (figure, figures, worse) => {
    const found = compareResults(result({}, figures), result());
    expect(found.find((one) => one.figure === figure)?.worse).toBe(worse);
  });

  it('a figure that was 0 before is worse, and a figure that is still 0 is not listed', () => {
    const limited = (now: number) =>
      compareResults(result({}, { rate_limited: now }), result({}, { rate_limited: 0 })).find(
        ({ figure }) => figure === '429 responses',
      );
    expect(limited(3)).toMatchObject({ last: 0, now: 3, worse: true });
    expect(limited(0)).toBeUndefined();
  });

  it('figures that only one contender has are not compared', () => {
    const found = compareResults(result({}, { history_bytes: 5 }), result());
    expect(found.map(({ figure }) => figure)).not.toContain('history bytes');
  });

  it.each([
    ['more requests', { requests: 300 }, true],
    ['more events', { events: 2_000 }, true],
    ['more time and memory', { wall_ms: 90_000, worker_peak_mib: 900 }, false],
  ])('only higher counts fail the comparison: %s', (_name, figures, failed) => {
    const pairs = [{ now: result({}, figures), earlier: [result()] }];
    const { comparisons, text } = formatComparison(pairs);
    expect(hasWorseCounts(comparisons)).toBe(failed);
    expect(text).toContain(failed ? '**worse**' : '| worse |');
  });

  it('cases without an earlier result are listed', () => {
    const { text, comparisons } = formatComparison([{ now: result(), earlier: [] }]);
    expect(text).toContain('Renderline, 1000 assets, no limit: nothing to compare it with.');
    expect(comparisons).toEqual([]);
  });
});

it('the newest rows are the last ones of their cases, and earlier rows are those before them', () => {
  const rows = [result({ date: '1' }), result({ date: '2', assets: 5 }), result({ date: '3' })];
  const newest = newestOfEach(rows);
  expect(newest.map(({ now }) => now.date).toSorted()).toEqual(['2', '3']);
  expect(newest.find(({ now }) => now.date === '3')?.earlier).toHaveLength(2);
});

it('the rows of the newest version do not contain other versions', () => {
  const rows = [result({ assets: 5 }), result({ version: '2.0.0' })];
  expect(ofNewestVersion(rows)).toEqual([result({ version: '2.0.0' })]);
});
