// What the parts of a spec line are read as, and when the stated count differs from the inks.
import { describe, expect, test } from 'vitest';
import { parseSpecLine } from '../../src/pantone/spec-line.ts';

describe('a stated count differs from the listed inks', () => {
  test.each([
    ['', false],
    ['PMS 186 C', false],
    ['PMS 186 C / 1 color', false],
    ['PMS 186 C / 2 colors', true],
    ['PMS 186 C / 2 colors / white', false],
    ['PMS 186 C / 2 colors / TBD', false],
    ['4cp', false],
    ['full color / white', true],
    ['cmyk / 4 colors', false],
    ['cmyk / 5 colors / white', false],
    ['0 colors / white', true],
  ])('in "%s": %s', (line, differs) => {
    expect(parseSpecLine(line).countDiffers).toBe(differs);
  });
});

describe('parts', () => {
  test.each([
    // Parts are recognized in this order.
    // A place is an unknown ink, as the platform has no places.
    ['left chest', { inks: [{ raw: 'left chest', kind: 'unknown' }] }],
    ['2-color screen print', { colorCount: 2, method: 'Screen print' }],
    ['full colour dtf', { colorCount: 4, method: 'DTF (direct-to-film)' }],
    // A readable list; one unknown piece is an unknown ink.
    ['186 C, 287 C', { inks: [{ canonical: 'PANTONE 186 C' }, { canonical: 'PANTONE 287 C' }] }],
    [
      '186 C and banana',
      { inks: [{ canonical: 'PANTONE 186 C' }, { raw: 'banana', kind: 'unknown' }] },
    ],
    ['PMS 186 and PMS 287', { inks: [{ canonical: 'PANTONE 186' }, { canonical: 'PANTONE 287' }] }],
    ['white and PMS 186 C', { inks: [{ kind: 'named' }, { canonical: 'PANTONE 186 C' }] }],
    ['Sand PMS 186 C', { inks: [{ canonical: 'PANTONE 186 C', name: 'Sand' }] }],
    ['screen print: 2 colors', { colorCount: 2, method: 'Screen print', inks: [] }],
    ['the lid, not the cup', { inks: [{ raw: 'the lid, not the cup', kind: 'unknown' }] }],
    // Of two sizes or methods the first one counts.
    ['3 in / 4 in', { size: { width: 3 } }],
    ['dtf / embroidery', { method: 'DTF (direct-to-film)' }],
    // Inks without a code, with their words.
    ['opaque white', { inks: [{ kind: 'named' }] }],
    ['w/ white underbase', { inks: [{ kind: 'named' }] }],
    ['jet-black thread', { inks: [{ kind: 'named' }] }],
    ['four colour process', { inks: [], colorCount: 4 }],
    // A name before or after an explicit code.
    ['Team Red - PMS 186 C', { inks: [{ canonical: 'PANTONE 186 C', name: 'Team Red' }] }],
    ['PMS 186 C [Team Red]', { inks: [{ canonical: 'PANTONE 186 C' }] }],
    ['PMS 186 XX', { inks: [{ raw: 'PMS 186 XX', kind: 'unknown' }] }],
  ])('of "%s" are %j', (line, wanted) => expect(parseSpecLine(line)).toMatchObject(wanted));
});
