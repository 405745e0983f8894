import { describe, expect, it } from 'vitest';
import {
  compareNames,
  EntryWindow,
  isNameAtOrBefore,
} from '../../src/connectors/disk/name-order.ts';

describe('the order of names', () => {
  it.each([
    ['a', 'b'],
    ['a', 'ab'],
    ['a-b', 'a/b'],
    ['Z', 'a'],
    ['\u{ffff}', '\u{10000}'],
    ['', 'a'],
  ])('the name %j comes before %j', (one, other) => {
    expect(compareNames(one, other)).toBeLessThan(0);
    expect(compareNames(other, one)).toBeGreaterThan(0);
    expect(compareNames(one, one)).toBe(0);
  });
});

describe('comparing two names', () => {
  it.each([
    ['a', 'b', true],
    ['a', 'a', true],
    ['b', 'a', false],
    // UTF-8 and UTF-16 sort these two names differently.
    ['\u{ffff}', '\u{10000}', false],
    ['\u{10000}', '\u{ffff}', false],
  ])('the name %j is at or before %j: %s', (name, other, expected) => {
    expect(isNameAtOrBefore(name, other)).toBe(expected);
  });
});

describe('the first entries of a folder', () => {
  const names = Array.from({ length: 100 }, (_, index) =>
    String((index * 37) % 100).padStart(2, '0'),
  );

  it('the first entries of a folder are returned a few at a time until all have been returned', () => {
    const seen: string[] = [];
    for (let from = '', isCut = true; isCut; from = seen.at(-1) ?? '') {
      const first = new EntryWindow<{ orderPath: string }>('', from, 7);
      for (const place of names) if (first.isPending(place)) first.add({ orderPath: place });
      const chosen = first.finish();
      expect(chosen.items.length).toBeLessThanOrEqual(7);
      seen.push(...chosen.items.map(({ orderPath: place }) => place));
      isCut = chosen.isCut;
    }
    expect(seen).toEqual([...names].sort());
  });
});
