// Flags of a benchmark run: cases, omitted cases and refusals.
import { describe, expect, it } from 'vitest';
import { caseKey, casesOf, readOptions } from '../../bench/options.ts';

const measured = (...flags: string[]) =>
  casesOf(readOptions(flags)).cases.map(
    ({ contender, assets, limit, workers }) => `${contender} ${assets} ${limit} ${workers}`,
  );

describe('cases of a benchmark run', () => {
  it('a run skips cases that take a quarter of an hour, and lists them', () => {
    const { cases, leftOut } = casesOf(readOptions([]));
    expect(cases).toHaveLength(14);
    expect(leftOut).toMatchObject([
      { contender: 'hand-written', assets: 1_000, limit: 600 },
      { contender: 'script', assets: 1_000, limit: 600 },
    ]);
    expect(casesOf(readOptions(['--full'])).leftOut).toEqual([]);
  });

  it.each([
    ['--limit=60', 0],
    ['--limit=600', 1],
    ['--limit=60 --window-seconds=5', 1],
    ['--limit=0', 1],
  ])(
    'the case of the hand-written workflow with 200 assets and %s is number %d',
    (flags, count) => {
      expect(measured('--assets=200', '--only=hand-written', ...flags.split(' '))).toHaveLength(
        count,
      );
    },
  );

  it('a full run includes every size with every limit, number of workers and contender', () => {
    expect(
      measured('--assets=50,100', '--limit=0', '--workers=1,3', '--only=renderline,hand-written'),
    ).toEqual([
      'renderline 50 0 1',
      'hand-written 50 0 1',
      'renderline 50 0 3',
      'hand-written 50 0 3',
      'renderline 100 0 1',
      'hand-written 100 0 1',
      'renderline 100 0 3',
      'hand-written 100 0 3',
    ]);
  });

  it.each([
    ['a script of several processes', ['--workers=2']],
    ['a script that is killed', ['--kill=1']],
  ])('a run does not include %s', (_name, flags) => {
    expect(measured('--assets=50', '--limit=0', '--only=script', ...flags)).toEqual([]);
    expect(measured('--assets=50', '--limit=0', '--only=hand-written', ...flags)).toHaveLength(1);
  });

  it.each([
    ['--assets=50'],
    ['--limit=7'],
    ['--workers=2'],
    ['--window-seconds=10'],
    ['--mix'],
    ['--kill=3'],
    ['--only=webhooks'],
  ])('the option %s changes the key of a case', (flag) => {
    const key = (flags: string[]) =>
      casesOf(readOptions(['--only=renderline', ...flags])).cases.map(caseKey)[0];
    expect(key([flag])).not.toBe(key([]));
  });
});

describe('options', () => {
  it('options set the path of the chart, which has a default only for a full run', () => {
    expect(readOptions([]).chart).toBe('');
    expect(readOptions(['--full']).chart).toBe('bench/chart.svg');
    expect(readOptions(['--full', '--chart=']).chart).toBe('');
    expect(readOptions(['--chart=mine.svg']).chart).toBe('mine.svg');
  });

  it.each([
    ['--assets=many', '--assets must be a whole number of at least 1, not "many"'],
    ['--assets=0', '--assets must be a whole number of at least 1, not "0"'],
    ['--limit=-1', '--limit must be a whole number of at least 0, not "-1"'],
    ['--limit=', '--limit must be'],
    ['--limit=60,', '--limit must be'],
    ['--workers=0', '--workers must be a whole number of at least 1, not "0"'],
    ['--window-seconds=', '--window-seconds must be'],
    ['--window-seconds=0', '--window-seconds must be'],
    ['--kill=1.5', '--kill must be'],
    ['--seed=1,2', '--seed must be a whole number of at least 0, not "1,2"'],
    ['--only=nobody', '--only nobody'],
  ])('the option %s is refused with a message', (flag, named) => {
    expect(() => readOptions([flag])).toThrow(named);
  });

  it('--kept without an output file is refused', () => {
    expect(() => readOptions(['--kept', '--output='])).toThrow('--kept');
  });
});
