import { describe, expect, it } from 'vitest';
import { DurationEstimate } from '../../../src/engine/polling/duration-estimate.ts';

/** Polls items of the given durations, each at one age. */
function looked(
  ripe: DurationEstimate,
  ageMs: () => number,
  takesMs: (index: number) => number,
  count = 600,
) {
  for (let index = 0; index < count; index += 1) {
    const atMs = ageMs();
    ripe.observe({ lastOpenAgeMs: 0, ageMs: atMs, isFinished: takesMs(index) <= atMs });
  }
}

/** From 2 to 6 s, evenly spread. */
const spread = (index: number) => 2_000 + ((index * 37) % 100) * 40;

describe('the estimated duration', () => {
  it('before any item has finished, the unknown duration is assumed to be 1.5 times the highest age of an open item', () => {
    const ripe = new DurationEstimate();
    expect([ripe.ms, ripe.isKnown]).toEqual([0, false]);
    ripe.observe({ lastOpenAgeMs: 0, ageMs: 4_000, isFinished: false });
    ripe.observe({ lastOpenAgeMs: 0, ageMs: 2_000, isFinished: false });
    expect([ripe.ms, ripe.isKnown]).toEqual([6_000, false]);
  });

  it('the first estimate is halfway between the ages at which an item was last open and first finished', () => {
    const ripe = new DurationEstimate();
    ripe.observe({ lastOpenAgeMs: 3_000, ageMs: 4_000, isFinished: true });
    expect(ripe.ms).toBe(3_500);
  });

  it.each([
    ['a first guess that was too early', 100],
    ['a first guess that was too late', 60_000],
  ])(
    'the estimate approaches the age at which nine in ten items are finished after %s',
    (_, guessMs) => {
      const ripe = new DurationEstimate();
      ripe.observe({ lastOpenAgeMs: guessMs, ageMs: guessMs, isFinished: true });
      looked(ripe, () => ripe.ms, spread, 3_000);
      expect(ripe.ms).toBeGreaterThan(5_000);
      expect(ripe.ms).toBeLessThan(6_000);
    },
  );

  it('the estimate hardly falls when polls come so late that all items are finished', () => {
    const ripe = new DurationEstimate();
    ripe.observe({ lastOpenAgeMs: 5_000, ageMs: 5_000, isFinished: true });
    looked(ripe, () => 60_000, spread);
    expect(ripe.ms).toBeGreaterThan(4_000);
  });

  it('the estimate is corrected quickly if a hundred items finished much earlier', () => {
    const ripe = new DurationEstimate();
    ripe.observe({ lastOpenAgeMs: 300_000, ageMs: 300_000, isFinished: true });
    looked(ripe, () => 10_000, spread, 100);
    expect(ripe.ms).toBeLessThan(60_000);
  });

  it('an item counts once, however often it is polled', () => {
    const ripe = new DurationEstimate();
    ripe.observe({ lastOpenAgeMs: 4_000, ageMs: 4_000, isFinished: true });
    ripe.observe({ lastOpenAgeMs: 0, ageMs: 5_000, isFinished: false });
    const once = ripe.ms;
    ripe.observe({ lastOpenAgeMs: 5_000, ageMs: 6_000, isFinished: false });
    ripe.observe({ lastOpenAgeMs: 6_000, ageMs: 7_000, isFinished: true });
    expect(ripe.ms).toBe(once);
  });
});
