import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonBytesOf, takeFitting, textBytesOf } from '../../src/plan/helpers/bytes.ts';

describe('counting bytes', () => {
  it('the bytes of any string are counted in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(textBytesOf(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it.each([
    [null, 4],
    [undefined, 0],
    ['ü', 4],
    [{ a: [1, 2] }, 11],
  ])('the value %j has %d bytes as JSON', (value, bytes) => {
    expect(jsonBytesOf(value)).toBe(bytes);
  });
});

describe('the items that fit', () => {
  it.each([
    ['are none if the list is empty', [], 3, 100, []],
    ['are all within the bounds', ['a', 'b'], 3, 100, ['a', 'b']],
    ['are at most the given number', ['a', 'b', 'c'], 2, 100, ['a', 'b']],
    ['have at most the given number of bytes in UTF-8', ['語', '語', '語'], 9, 13, ['語', '語']],
    ['are none if the first is too large', ['x'.repeat(50), 'b'], 9, 20, []],
  ])('the items that fit %s', (_name, items, count, bytes, fitting) => {
    expect(takeFitting(items, { count, bytes })).toEqual(fitting);
  });
});
