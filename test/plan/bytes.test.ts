import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstFitting, jsonBytes, textBytes } from '../../src/plan/helpers/bytes.ts';

describe('bytes', () => {
  it('of any text are those of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(textBytes(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it.each([
    [null, 4],
    [undefined, 0],
    ['ü', 4],
    [{ a: [1, 2] }, 11],
  ])('of %j as JSON are %d', (value, bytes) => {
    expect(jsonBytes(value)).toBe(bytes);
  });
});

describe('what fits', () => {
  it.each([
    ['nothing of nothing', [], 3, 100, []],
    ['all that there is', ['a', 'b'], 3, 100, ['a', 'b']],
    ['no more than a number', ['a', 'b', 'c'], 2, 100, ['a', 'b']],
    ['no more than the bytes, counted as UTF-8', ['語', '語', '語'], 9, 13, ['語', '語']],
    ['nothing where the first is too large', ['x'.repeat(50), 'b'], 9, 20, []],
  ])('%s', (_name, items, count, bytes, fitting) => {
    expect(firstFitting(items, { count, bytes })).toEqual(fitting);
  });
});
