// Issues of a spec line, each with a similar line that has none.
import { describe, expect, test } from 'vitest';
import { parseSpecLine, type SpecIssue } from '../../src/pantone/spec-line.ts';

const good = '3 x 2 in / PMS 186 C / screen print';

describe('issues', () => {
  test.each<[string, SpecIssue[]]>([
    [good, []],
    ['', ['empty']],
    [' / ; ', ['empty']],
    ['PMS 186 C / screen print', ['size-missing']],
    ['3 x 2 / PMS 186 C / screen print', ['unit-missing']],
    ['3 in x 50 mm / PMS 186 C / screen print', ['mixed-units']],
    ['3 in x 2 in / PMS 186 C / screen print', []],
    ['0 x 2 in / PMS 186 C / screen print', ['size-not-positive']],
    ['3 x 2 in / PMS 186 C', ['method-missing']],
    // The stated counts differ from the listed inks.
    [`${good} / 1 color`, []],
    [`${good} / 2 colors`, ['color-count-mismatch']],
    [`${good} / 2 colors / white`, []],
    ['3 x 2 in / 4cp / dtf', []],
    ['3 x 2 in / full color / white / dtf', ['color-count-mismatch']],
    ['3 x 2 in / cmyk / 4 colors / dtf', []],
    ['3 x 2 in / cmyk / 5 colors / white / dtf', []],
    ['3 x 2 in / 0 colors / white / dtf', ['color-count-mismatch']],
    // An undecided ink is more important than a wrong count.
    [`${good} / 2 colors / TBD`, ['ink-to-be-decided']],
    [`${good} / to be confirmed`, ['ink-to-be-decided']],
    [`${good} / n/a`, ['ink-to-be-decided']],
    [`${good} / ??`, ['ink-to-be-decided']],
    // The same ink twice, however it is written.
    [`${good} / 186c`, ['duplicate-ink']],
    [`${good} / 186 U`, []],
    [`${good} / White / white`, ['duplicate-ink']],
    // These inks cannot be ordered.
    [`${good} / banana`, ['unknown-ink']],
    [`${good} / #FF00aa`, ['hex-not-an-ink']],
    [`${good} / #FF00`, ['unknown-ink']],
    ['3 x 2 in / PMS 186 / screen print', ['substrate-not-stated']],
    ['3 x 2 in / 19-4052 / screen print', ['suffix-not-stated']],
    ['3 x 2 in / 19-4052 TCX / screen print', []],
    // Engraving needs no ink, so none must be listed.
    ['3 x 2 in / laser', []],
    ['3 x 2 in / laser / white', ['ink-with-inkless-method']],
  ])('the issues found in "%s" are %j', (line, issues) => {
    expect([...parseSpecLine(line).issues].sort()).toEqual(issues.toSorted());
  });

  test('all issues are reported, each once', () => {
    const { issues } = parseSpecLine('PMS 186 / PMS 186 / banana / banana / 9 colors');
    expect([...issues].sort()).toEqual([
      'color-count-mismatch',
      'duplicate-ink',
      'method-missing',
      'size-missing',
      'substrate-not-stated',
      'unknown-ink',
    ]);
  });
});

describe('parts', () => {
  test.each([
    // Parts are recognized in this order.
    ['left chest', { location: 'left chest', inks: [] }],
    ['2-color screen print', { colorCount: 2, method: { name: 'screen print' } }],
    ['full colour dtf', { colorCount: 4, process: true, method: { name: 'direct to film' } }],
    // One unknown piece of a readable list is an unknown ink.
    ['186 C, 287 C', { inks: [{ canonical: 'PANTONE 186 C' }, { canonical: 'PANTONE 287 C' }] }],
    [
      '186 C and banana',
      { inks: [{ canonical: 'PANTONE 186 C' }, { raw: 'banana', kind: 'unknown' }] },
    ],
    ['PMS 186 and PMS 287', { inks: [{ canonical: 'PANTONE 186' }, { canonical: 'PANTONE 287' }] }],
    ['white and PMS 186 C', { inks: [{ kind: 'named' }, { canonical: 'PANTONE 186 C' }] }],
    ['Sand PMS 186 C', { inks: [{ canonical: 'PANTONE 186 C', name: 'Sand' }] }],
    ['screen print: 2 colors', { colorCount: 2, method: { name: 'screen print' }, inks: [] }],
    ['the lid, not the cup', { inks: [{ raw: 'the lid, not the cup', kind: 'unknown' }] }],
    // Only the first size, method or location counts.
    ['3 in / 4 in', { size: { width: 3 } }],
    ['dtf / embroidery', { method: { name: 'direct to film' } }],
    ['left sleeve / full back', { location: 'left sleeve' }],
    // Inks without a code, with their words.
    ['opaque white', { inks: [{ kind: 'named' }] }],
    ['w/ white underbase', { inks: [{ kind: 'named' }] }],
    ['jet-black thread', { inks: [{ kind: 'named' }] }],
    ['four colour process', { inks: [], colorCount: 4, process: true }],
    // A name before or after an explicit code.
    ['Team Red - PMS 186 C', { inks: [{ canonical: 'PANTONE 186 C', name: 'Team Red' }] }],
    ['PMS 186 C [Team Red]', { inks: [{ canonical: 'PANTONE 186 C' }] }],
    ['PMS 186 XX', { inks: [{ raw: 'PMS 186 XX', kind: 'unknown' }] }],
  ])('the parts of "%s" are %j', (line, wanted) =>
    expect(parseSpecLine(line)).toMatchObject(wanted),
  );
});
