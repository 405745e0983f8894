// Names that look alike: which are the same name, and how others differ.
import { describe, expect, it, test } from 'vitest';
import {
  describeDifference,
  isSameName,
  spellingsOf,
  toVisibleName,
} from '../../src/api/requests/name-comparison.ts';
import { findNearestName, suggestName } from '../../src/api/requests/nearest-name.ts';

const composed = 'Bez\u00fcge';
const decomposed = 'Bezu\u0308ge';

describe('the difference of two names', () => {
  it.each([
    ['Off\u00a0White', 'Off White', 'only an invisible character differs: U+00A0 at position 4'],
    [
      'Off White',
      'Off\u00a0White',
      'only an invisible character differs: U+00A0 at position 4 of the other name',
    ],
    ['Walnut\u200b', 'Walnut', 'only an invisible character differs: U+200B at position 7'],
    [
      'Walnut',
      '\ufeffWalnut',
      'only an invisible character differs: U+FEFF at position 1 of the other name',
    ],
    ['Wal\u00adnut', 'Walnut', 'only an invisible character differs: U+00AD at position 4'],
    ['Off\tWhite', 'Off White', 'only an invisible character differs: U+0009 at position 4'],
    ['Off  White', 'Off White', 'only a space differs: at position 5'],
    ['Walnut ', 'Walnut', 'only a space differs: at position 7'],
    ['Walnut', ' Walnut', 'only a space differs: at position 1 of the other name'],
    ['walnut', 'Walnut', 'only upper and lower case differ'],
    ['walnut\u200b', 'Walnut', 'only case and invisible characters differ'],
    ['\u043eslo', 'oslo', 'only a letter of another alphabet differs: U+043E at position 1'],
    [
      'CT-8',
      'C\u0422-8',
      'only a letter of another alphabet differs: U+0422 at position 2 of the other name',
    ],
    ['\u0391lpha', 'Alpha', 'only a letter of another alphabet differs: U+0391 at position 1'],
    [composed, decomposed, 'only the encoding of accents differs'],
  ])('the difference between %j and %j is: %s', (name, other, expected) => {
    expect(describeDifference(name, other)).toBe(expected);
    expect(findNearestName(name, ['Zebra', other])).toBe(other);
    expect(suggestName(name, ['Zebra', other])).toBe(`did you mean "${other}"? (${expected})`);
  });

  it.each([
    ['Walnut', 'Walnut'],
    ['Walnut', 'Walnuts'],
    ['Off White', 'OffWhite'],
    ['Bezuge', composed],
    ['\u0416uk', 'Kuk'],
  ])('no difference is reported between %j and %j', (name, other) => {
    expect(describeDifference(name, other)).toBeNull();
  });

  it('the difference is also found in long names', () => {
    const long = 'x'.repeat(80);
    expect(findNearestName(`${long}\u200b`, [long])).toBe(long);
  });
});

test('names that differ only in the encoding of accents count as the same, and others do not', () => {
  expect(isSameName(composed, decomposed)).toBe(true);
  expect(isSameName('a', 'A')).toBe(false);
  expect(spellingsOf(composed)).toEqual([composed, decomposed]);
  expect(spellingsOf('Oak')).toEqual(['Oak']);
  expect(toVisibleName(' Off \u00a0White\u200b ')).toBe('Off White');
});
