// Spec lines as the platform reports them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInkSpec } from '../../src/pantone/inks.ts';
import { parseSpecLine } from '../../src/pantone/spec-line.ts';

const code = (pantoneCode: string, name = '') => ({ name, pantoneCode, hex: null });
const named = (name: string) => ({ name, pantoneCode: null, hex: null });

describe('a spec line', () => {
  test('a spec line is parsed into size, colour count, method and inks', () => {
    expect(parseInkSpec('3.5 x 2 in / 2 colors / PMS 186 / white / screen print')).toEqual({
      inks: [code('186 C'), named('white')],
      colourCount: 2,
      method: 'Screen print',
      widthIn: 3.5,
      heightIn: 2,
      warnings: [],
    });
  });

  test.each([
    ['90 mm x 50 mm', 3.543, 1.969],
    ['9 cm × 5 cm', 3.543, 1.969],
    ['3 1/2" x 2"', 3.5, 2],
    ['3½" x ¾"', 3.5, 0.75],
    ['3,5 x 2 in', 3.5, 2],
    ['4"h x 3"w', 3, 4],
    ['W: 3in x H: 2in', 3, 2],
    ['size: 3.5in by 2in', 3.5, 2],
    ['12x12in', 12, 12],
    ['2.25" dia', 2.25, 2.25],
    ['3" wide', 3, null],
    ['3.5 in tall', null, 3.5],
    ['4 x 3', 4, 3],
    ['3.5 in x 90 mm', 3.5, 3.543],
    ['0 x 2 in', null, 2],
  ])('the size is parsed from "%s"', (spec, widthIn, heightIn) => {
    expect(parseInkSpec(spec)).toMatchObject({ widthIn, heightIn, inks: [] });
  });

  test.each([
    ['1 color', 1],
    ['3 colour', 3],
    ['3-Colours', 3],
    ['2C', 2],
    ['4cp', 4],
    ['full colour', 4],
    ['two-color', 2],
    ['2 spot colors', 2],
    ['colors: 3', 3],
    ['no ink', 0],
    ['2 color print', 2],
  ])('the color count in a spec line is parsed as %s', (spec, colourCount) => {
    expect(parseInkSpec(spec)).toMatchObject({ colourCount, inks: [] });
  });

  test.each([
    ['SCREENPRINT', 'Screen print'],
    ['silk-screen printed', 'Screen print'],
    ['dtf', 'DTF (direct-to-film)'],
    ['Direct to film', 'DTF (direct-to-film)'],
    ['emb.', 'Embroidery'],
    ['dye-sub', 'Sublimation'],
    ['heat transfer vinyl', 'Heat transfer'],
    ['tackle twill', 'Tackle twill'],
    ['pad printing', 'Pad print'],
    ['method: embroidery', 'Embroidery'],
  ])('the method is parsed from "%s"', (spec, method) => {
    expect(parseInkSpec(spec)).toMatchObject({ method, inks: [], warnings: [] });
  });

  test('a spec line is split at slashes, semicolons and newlines, but not inside a textile code', () => {
    const { inks } = parseInkSpec('19-4052 TCX/186 C;Cool Gray 11 C\n 287c \n');
    expect(inks.map(({ pantoneCode }) => pantoneCode)).toEqual([
      '19-4052 TCX',
      '186 C',
      'Cool Gray 11 C',
      '287 C',
    ]);
  });

  test('a spec line keeps an unreadable part as an ink, with a warning', () => {
    const { inks, warnings } = parseInkSpec(
      'banana / 186 X / PMS 186 XX / TBD / front left chest / black',
    );
    expect(inks).toHaveLength(6);
    expect(inks).toEqual(
      expect.arrayContaining([
        named('banana'),
        named('186 X'),
        named('PMS 186 XX'),
        named('TBD'),
        named('front left chest'),
        named('black'),
      ]),
    );
    expect(warnings).toHaveLength(5);
    expect(warnings.join()).not.toContain('black');
  });

  test('a color count that differs from the number of inks causes a warning', () => {
    const { warnings } = parseInkSpec('3 colors / 186 C / white');
    expect(warnings).toEqual(['The spec states 3 colors, but 2 inks were found.']);
  });

  test('the text next to a code becomes the name of the ink', () => {
    const { inks } = parseInkSpec('Team Red: PMS 186 C / Navy (282 C) / Black 6 C');
    expect(inks).toEqual([code('186 C', 'Team Red'), code('282 C', 'Navy'), code('Black 6 C')]);
  });
});

describe('properties of any spec line', () => {
  const part = fc.constantFrom('186 C', 'white', '3 x 2 in', '2 colors', 'embroidery', 'banana');

  test('any spec line is parsed into the same inks for every order of parts and every separator', () => {
    const separator = fc.constantFrom(' / ', ';', '\n', ' ;');
    const permuted = fc
      .uniqueArray(part, { minLength: 1 })
      .chain((parts) =>
        fc.tuple(fc.shuffledSubarray(parts, { minLength: parts.length }), separator),
      );
    fc.assert(
      fc.property(permuted, ([parts, by]) => {
        const read = parseInkSpec(parts.join(by));
        const sorted = parseInkSpec([...parts].sort().join(' / '));
        expect(new Set(read.inks)).toEqual(new Set(sorted.inks));
        expect({ ...read, inks: [] }).toEqual({ ...sorted, inks: [] });
      }),
    );
  });

  test('any spec line is parsed without an error, and has the issue `empty` only if it is empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (line) => {
        const read = parseSpecLine(line);
        const empty = line.replace(/[/;\r\n\s]+/g, '') === '';
        expect(read.issues.includes('empty')).toBe(empty);
      }),
    );
  });
});
