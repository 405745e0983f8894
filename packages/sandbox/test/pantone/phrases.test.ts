// The phrases of a spec line: sizes, colour counts, methods, locations, and where a line is split.
import { describe, expect, it, test } from 'vitest';
import { parseColorCount } from '../../src/pantone/color-count.ts';
import { parseLocation } from '../../src/pantone/location.ts';
import { listedMethods, parseMethod, toListedSpelling } from '../../src/pantone/methods.ts';
import { type ArtworkSize, parseSize, toInches } from '../../src/pantone/size.ts';
import { splitPart, splitSpec } from '../../src/pantone/spec-split.ts';

describe('a size', () => {
  test.each<[string, ArtworkSize]>([
    // With one side, a word says which side it is. The default is the width.
    ['3 in', { width: 3, unit: 'in' }],
    ['3" tall', { height: 3, unit: 'in' }],
    ['height: 40 mm', { height: 40, unit: 'mm' }],
    ['h 40mm', { height: 40, unit: 'mm' }],
    ['4 wide', { width: 4, unit: null }],
    ['Ø 60 mm', { diameter: 60, unit: 'mm' }],
    ['⌀60mm', { diameter: 60, unit: 'mm' }],
    ['2.25in diameter', { diameter: 2.25, unit: 'in' }],
    // With two sides, the width comes first, unless words say otherwise.
    ['3 x 2', { width: 3, height: 2, unit: null }],
    ['3 x 2 cm', { width: 3, height: 2, unit: 'cm' }],
    ['3 cm × 2', { width: 3, height: 2, unit: 'cm' }],
    ['2in h x 3in w', { width: 3, height: 2, unit: 'in' }],
    ['2 x 3in w', { width: 3, height: 2, unit: 'in' }],
    ['3in by 40mm', { width: 3, height: 40, unit: ['in', 'mm'] }],
    ['40 mm high × 3"', { width: 3, height: 40, unit: ['in', 'mm'] }],
    // Units in each of their spellings.
    ['3 inches', { width: 3, unit: 'in' }],
    ['1 inch', { width: 1, unit: 'in' }],
    ['3 ins.', { width: 3, unit: 'in' }],
    ["3''", { width: 3, unit: 'in' }],
    ['3”', { width: 3, unit: 'in' }],
    ['3″', { width: 3, unit: 'in' }],
    ['9 centimetres', { width: 9, unit: 'cm' }],
    ['90 millimeters', { width: 90, unit: 'mm' }],
    ['90 Millimetre', { width: 90, unit: 'mm' }],
    // Numbers in each of their spellings.
    ['.5 in', { width: 0.5, unit: 'in' }],
    ['3,5 cm', { width: 3.5, unit: 'cm' }],
    ['1/4 in', { width: 0.25, unit: 'in' }],
    ['2 3/8"', { width: 2.375, unit: 'in' }],
    ['2-3/8"', { width: 2.375, unit: 'in' }],
    ['2⅞ in', { width: 2.875, unit: 'in' }],
    ['½ x ⅛ in', { width: 0.5, height: 0.125, unit: 'in' }],
    ['3.5x2in', { width: 3.5, height: 2, unit: 'in' }],
    // Introductory words.
    ['imprint size: 3 in', { width: 3, unit: 'in' }],
    ['Artwork dimensions = 3 x 2 in', { width: 3, height: 2, unit: 'in' }],
    ['max. 3 in', { width: 3, unit: 'in' }],
    ['print area: approx. 3 in', { width: 3, unit: 'in' }],
    ['up to 3 in', { width: 3, unit: 'in' }],
    ['~3in', { width: 3, unit: 'in' }],
  ])('the size "%s" is parsed as %j', (text, size) => expect(parseSize(text)).toEqual(size));

  test.each([
    '3',
    '3.5',
    '186',
    '',
    'in',
    '3 in x',
    'x 2 in',
    '3 inx 2',
    '3 hats',
    '3 in 2 in',
    'tall',
  ])('a size is not read from "%s"', (text) => expect(parseSize(text)).toBeUndefined());

  test.each<[ArtworkSize | null, number | null, number | null]>([
    [null, null, null],
    [{ width: 2.54, unit: 'cm' }, 1, null],
    [{ height: 25.4, unit: 'mm' }, null, 1],
    [{ diameter: 3, unit: null }, 3, 3],
    [{ width: 1, height: 25.4, unit: ['in', 'mm'] }, 1, 1],
    [{ width: 1, height: 1, unit: 'mm' }, 0.039, 0.039],
    [{ width: 0, height: -1, unit: 'in' }, null, null],
  ])('the size %j is converted to inches: %s by %s', (size, widthIn, heightIn) => {
    expect(toInches(size)).toEqual({ widthIn, heightIn });
  });
});

describe('a colour count', () => {
  test.each([
    ['1c', 1, false, ''],
    ['12 inks', 12, false, ''],
    ['twelve colors', 12, false, ''],
    ['zero ink', 0, false, ''],
    ['No colour', 0, false, ''],
    ['single color', 1, false, ''],
    ['3 clrs', 3, false, ''],
    ['2 PMS colors', 2, false, ''],
    ['2-spot-color', 2, false, ''],
    ['5 thread colors', 5, false, ''],
    ['6 threads', 6, false, ''],
    // Full colour and CMYK are four inks, which need not be listed.
    ['full color', 4, true, ''],
    ['4 color process', 4, true, ''],
    ['6CP', 6, true, ''],
    // The rest of the phrase is returned.
    ['2 color screen print', 2, false, 'screen print'],
    ['1c: PMS 186', 1, false, 'PMS 186'],
    ['screen print, 2 colors', 2, false, 'screen print'],
    ['screen print: 2 colors', 2, false, 'screen print'],
    ['embroidery - 3 threads', 3, false, 'embroidery'],
    ['embroidery (3 threads)', 3, false, 'embroidery'],
    // A label and a number, as in a form.
    ['colours: 3', 3, false, ''],
    ['Number of inks = 2', 2, false, ''],
    ['no. of colors: 10', 10, false, ''],
    ['color count: 4', 4, false, ''],
  ])('the colour count "%s" is parsed as %i', (text, count, process, rest) => {
    expect(parseColorCount(text)).toEqual({ count, process, rest });
  });

  // The last ones are Pantone codes, with and without a number.
  test.each(['colors', '2', '100 colors', 'color', '', 'Black 6 C', '186 C', 'Cool Gray 11 C'])(
    'a colour count is not read from "%s"',
    (text) => expect(parseColorCount(text)).toBeUndefined(),
  );
});

describe('a method', () => {
  test.each([
    ['Silk-screen printed', 'screen print', 'Screen print', false],
    ['SCREEN', 'screen print', 'Screen print', false],
    ['plastisol', 'screen print', 'Screen print', false],
    ['DTF (direct-to-film)', 'direct to film', 'DTF (direct-to-film)', false],
    ['D.T.F', undefined, undefined, undefined],
    ['3D embroidery', 'embroidery', 'Embroidery', false],
    ['puff embroidery', 'embroidery', 'Embroidery', false],
    ['dye-sublimated', 'sublimation', 'Sublimation', false],
    ['HTV', 'heat transfer', 'Heat transfer', false],
    ['appliqué', 'tackle twill', 'Tackle twill', false],
    // Methods that the platform does not list keep their own names.
    ['dtg', 'direct to garment', 'Direct to garment', false],
    ['tampo', 'pad print', 'Pad print', false],
    ['UV', 'UV print', 'UV print', false],
    ['hot foil stamping', 'foil stamp', 'Foil stamp', false],
    // Methods without ink.
    ['laser-etched', 'laser engraving', 'Laser engraving', true],
    ['blind deboss', 'deboss', 'Deboss', true],
    ['Embossed', 'emboss', 'Emboss', true],
    // With introductory words.
    ['decoration method: emb.', 'embroidery', 'Embroidery', false],
    ['Process = dtf', 'direct to film', 'DTF (direct-to-film)', false],
    // Text without a method, or with more than a method.
    ['print', undefined, undefined, undefined],
    ['', undefined, undefined, undefined],
    ['screen print on the chest', undefined, undefined, undefined],
  ])('the method "%s" is parsed as %s', (text, name, listed, inkless) => {
    expect(parseMethod(text)).toEqual(name === undefined ? undefined : { name, listed, inkless });
  });

  it.each(listedMethods)('the method "%s" is recognized in any case', (listed) => {
    expect(parseMethod(listed)?.listed).toBe(listed);
    expect(toListedSpelling(listed.toUpperCase())).toBe(listed);
  });

  test.each([
    ['dtf', 'DTF'],
    ['Pad Print', 'Pad Print'],
    ['', ''],
  ])('the method "%s" is spelled %s', (method, spelling) =>
    expect(toListedSpelling(method)).toBe(spelling),
  );
});

describe('a location', () => {
  test.each([
    ['Left Chest', 'left chest'],
    ['front-left_chest', 'front left chest'],
    ["wearer's right sleeve", 'wearers right sleeve'],
    ['Placement: full back', 'full back'],
    ['location = nape of neck', 'nape of neck'],
    ['back', 'back'],
    ['cap left side', 'cap left side'],
  ])('the location "%s" is parsed as %s', (text, place) => expect(parseLocation(text)).toBe(place));

  // A location must end with a place, and every word must belong to the location.
  test.each(['', 'upper', 'chest of', 'left chest logo', 'navy sleeve', 'location:'])(
    'a location is not read from "%s"',
    (text) => expect(parseLocation(text)).toBeUndefined(),
  );
});

describe('a line', () => {
  test.each([
    ['a / b;c\r\nd\n\n', ['a', 'b', 'c', 'd']],
    [' / ; ', []],
    // Slashes in fractions of a length are not separators.
    ['1/2 in / white', ['1/2 in', 'white']],
    ['3 1/2" x 2 3/4"', ['3 1/2" x 2 3/4"']],
    ['1/4x1/2 in', ['1/4x1/2 in']],
    ['7/64 wide', ['7/64 wide']],
    // Only fractions with the denominators of rulers, before a unit, are real fractions.
    ['5/4 in', ['5', '4 in']],
    ['1/5 in', ['1', '5 in']],
    ['1/2', ['1', '2']],
    ['186/2 colors', ['186', '2 colors']],
    // Abbreviations are not split either: with, without, not applicable.
    ['black w/ white', ['black w/ white']],
    ['w/o underbase', ['w/o underbase']],
    ['n/a', ['n/a']],
    ['w/white', ['w', 'white']],
  ])('the line %j is split into %j', (line, parts) => expect(splitSpec(line)).toEqual(parts));

  test.each([
    ['186 C, white', ['186 C', 'white']],
    ['186 C + 287 C & black', ['186 C', '287 C', 'black']],
    ['red and white', ['red', 'white']],
    ['sand', ['sand']],
    ['186|287', ['186', '287']],
    // A comma before one or two digits is a decimal comma.
    ['3,5 cm', ['3,5 cm']],
    ['186,287', ['186', '287']],
    [', ,', []],
  ])('a line with the part %j is a list of %j', (part, pieces) =>
    expect(splitPart(part)).toEqual(pieces),
  );
});
