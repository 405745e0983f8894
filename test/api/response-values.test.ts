// Values of a response that are read although the platform sends them in another form, and those that are not.
import { describe, expect, it } from 'vitest';
import {
  dataOf,
  maxDataLength,
  numberOf,
  UnreadableValue,
} from '../../src/api/responses/response-values.ts';

describe('a value of a response', () => {
  it.each([
    [0, 0],
    [-1.5, -1.5],
    ['12.5', 12.5],
    [' 7 ', 7],
  ])('the number %j is read as %d', (value, expected) => {
    expect(numberOf(value)).toBe(expected);
  });

  // JSON.parse('1e999') returns Infinity.
  it.each([Number.POSITIVE_INFINITY, Number.NaN, '1e9', '0x10', '', null, true, [1]])(
    'the value %j is no number',
    (value) => {
      expect(numberOf(value)).toBeInstanceOf(UnreadableValue);
    },
  );

  it('a link is read if it has at most the maximum length', () => {
    const longest = 'x'.repeat(maxDataLength);
    expect(dataOf(longest)).toBe(longest);
    expect(dataOf(`${longest}x`)).toBeInstanceOf(UnreadableValue);
  });
});
