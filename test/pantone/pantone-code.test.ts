import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizePantoneCode, parsePantone } from '../../src/pantone/pantone-code.ts';

describe('the stored form of a code', () => {
  test.each([
    ['pms 186', '186 C'],
    ['pms 186 c', '186 C'],
    ['PMS#186u', '186 U'],
    ['186-C', '186 C'],
    ['186 coated', '186 C'],
    ['pantone: 186 C', '186 C'],
    ['PANTONE+ 186 C', '186 C'],
    ['10101 C', '10101 C'],
    ['cool grey 11c', 'Cool Gray 11 C'],
    ['pms cool gray 1', 'Cool Gray 1 C'],
    ['black6c', 'Black 6 C'],
    ['PMS Black', 'Black C'],
    ['Black 0961', 'Black 0961 C'],
    ['pantone purple', 'Purple C'],
    ['yellow c', 'Yellow C'],
    ['Orange 021', 'Orange 021 C'],
    ['021 C', '021 C'],
    ['186 CP', '186 CP'],
    ['19-4052tcx', '19-4052 TCX'],
    ['19-4052 Classic Blue', '19-4052'],
    ['186 C (brand red)', '186 C'],
  ])('the code %s is stored as %s', (raw, stored) =>
    expect(normalizePantoneCode(raw)).toBe(stored),
  );

  test.each([
    'Black',
    'white',
    'purple',
    'Pantone White',
    'Cool Gray',
    'Cool Gray 12 C',
    'Cool Gray 0961 C',
    'Warm Gray 0961 C',
    'orange 22 c',
    '09-4052 TCX',
    '19-405 TCX',
    '19-4052 XYZ',
    '123456 C',
    '18 C',
    '186 XY',
    'blacksmith',
    'pmsx',
    '',
  ])('the string "%s" is not a code', (raw) => expect(normalizePantoneCode(raw)).toBeUndefined());

  test('a stored code is parsed to itself', () => {
    const digits = fc.integer({ min: 100, max: 99_999 }).map(String);
    const solid = fc.tuple(digits, fc.constantFrom('', ' ', '-'), fc.constantFrom('C', 'u', 'cp'));
    fc.assert(
      fc.property(solid, ([number, space, suffix]) => {
        const stored = normalizePantoneCode(`pms ${number}${space}${suffix}`);
        expect(stored).toBe(`${number} ${suffix.toUpperCase()}`);
        expect(normalizePantoneCode(stored ?? '')).toBe(stored);
      }),
    );
  });

  test('no string makes the parser throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (raw) => void parsePantone(raw)));
  });
});
