import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDurationMs, toDurationMs } from '../../src/language/duration.ts';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['1m500ms', 60_500],
    ['0s', 0],
  ])('the text "%s" is %i ms', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it('a duration is at most a hundred years', () => {
    expect(parseDurationMs('36500d')).toBe(36_500 * 86_400_000);
    expect(parseDurationMs('36500d1ms')).toBeNull();
    expect(parseDurationMs('999999999h'.repeat(100))).toBeNull();
  });

  it.each(['', '15', 'm', '1h 30m', '-1s', '1.s', '.5s', '1w', '1H', '1s2', '9'.repeat(40)])(
    'the text "%s" is not a valid duration',
    (text) => {
      expect(parseDurationMs(text)).toBeNull();
      expect(() => toDurationMs(text)).toThrow(/must be a duration/);
    },
  );

  it.each([
    [5_400_000, '1h30m'],
    [90_061_001, '1d1h1m1s1ms'],
    [0, '0s'],
    [0.4, '0s'],
    [0.6, '1ms'],
    [999.7, '1s'],
  ])('a duration of %f ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('a formatted duration is parsed back to the same duration', () => {
    fc.assert(
      fc.property(fc.nat(40 * 86_400_000), (ms) => {
        expect(parseDurationMs(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
