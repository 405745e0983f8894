// Which variants of a model match a colorway: by their materials, and by the slots that hold them.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { findDuplicateName, findNameProblem } from '../../src/engine/grid/position-name.ts';
import {
  type ColorwayMaterials,
  findMatchingVariants,
  findPossibleVariants,
  matchOneToOne,
  type Slot,
} from '../../src/features/variants/grid/choose-colorways.ts';
import type { Variant } from '../../src/features/variants/variant-list.ts';
import { createCellKey } from '../../src/store/records/cell-keys.ts';

const slots: Slot[] = [
  { id: 's1', name: 'Seat' },
  { id: 's2', name: 'Left Leg' },
  { id: 's3', name: 'Right Leg' },
];

/** `seat=red leg=oak` has a rule for each word. `Seat!=red` matches the exact name. */
function dress(text: string): ColorwayMaterials {
  return text.split(' ').map((part) => {
    const [match = '', materialId = ''] = part.split('=');
    const isExact = match.endsWith('!');
    const matchText = isExact ? match.slice(0, -1) : match;
    return {
      rule: { matchText, matchMode: isExact ? 'exact' : 'contains', materialId },
      materialId,
    };
  });
}

/** `s1=red s2=oak`. Null if the platform does not list the materials of the variant. */
function variant(id: string, worn: string | null): Variant {
  if (worn === null) return { id, name: id };
  const entries = worn
    .split(' ')
    .filter(Boolean)
    .map((part) => part.split('='));
  return {
    id,
    name: id,
    materialBySlot: new Map(entries.map(([slot = '', material = '']) => [slot, material])),
  };
}

const idsOf = (variants: readonly Variant[] | null) => variants?.map(({ id }) => id) ?? null;

describe('matching a variant', () => {
  test.each<[string, string, string | null, boolean]>([
    ['matches a rule by its slot', 'seat=red', 's1=red', true],
    ['matches a rule by all of its slots', 'leg=oak', 's2=oak s3=oak', true],
    ['matches several rules', 'seat=red leg=oak', 's1=red s2=oak s3=oak', true],
    // The first rule that matches a slot decides its material.
    ['matches by the first rule for a slot', 'left=elm leg=oak', 's2=elm s3=oak', true],
    ['does not match by the last rule for a slot', 'leg=oak left=elm', 's2=elm s3=oak', false],
    ['matches an exact name', 'Seat!=red', 's1=red', true],
    ['does not match an exact name that differs in case', 'seat!=red', 's1=red', false],
    ['does not match if a slot is missing', 'leg=oak', 's2=oak', false],
    ['does not match if it has one slot too many', 'seat=red', 's1=red s2=red', false],
    ['does not match with another material', 'seat=red', 's1=blue', false],
    ['does not match on another slot', 'seat=red', 's2=red', false],
    ['does not match if no rule matches a slot', 'back=red', '', false],
    ['does not match if its materials are unknown', 'seat=red', null, false],
  ])('a variant %s: %s', (_, wished, worn, wears) => {
    expect(findMatchingVariants(dress(wished), [variant('v', worn)], slots)).toHaveLength(
      wears ? 1 : 0,
    );
  });

  it('all variants with the same materials match', () => {
    const variants = [variant('a', 's1=red'), variant('b', 's1=blue'), variant('c', 's1=red')];
    expect(idsOf(findMatchingVariants(dress('seat=red'), variants, slots))).toEqual(['a', 'c']);
  });
});

test.each<[string, string | null, boolean]>([
  ['seat=red leg=oak', 's9=red', true],
  ['seat=red leg=oak', 's9=red s8=oak', true],
  ['seat=red leg=oak', 's9=red s8=elm', false],
  ['seat=red', '', false],
  ['seat=red', null, false],
])('if the slots are unknown, the rules %s may match the variant %s: %s', (wished, worn, may) => {
  expect(findPossibleVariants(dress(wished), [variant('v', worn)])).toHaveLength(may ? 1 : 0);
});

describe('colorways matched by materials alone', () => {
  const red = variant('red', 's1=red');
  const blue = variant('blue', 's1=blue');
  test.each<[string, string[], Variant[], string[] | null]>([
    [
      'are assigned if each has one variant',
      ['seat=blue', 'seat=red'],
      [red, blue],
      ['blue', 'red'],
    ],
    [
      'are not assigned if one has two variants',
      ['seat=red'],
      [red, variant('r2', 's2=red')],
      null,
    ],
    ['are not assigned if one has no variant', ['seat=red', 'seat=blue'], [red], null],
    [
      'are not assigned if two of them match the same variant',
      ['seat=red', 'leg=red'],
      [red],
      null,
    ],
    ['are not assigned if materials are unknown', ['seat=red'], [variant('v', null)], null],
    ['are assigned even if there are other variants', ['seat=red'], [blue, red], ['red']],
  ])('the colorways %s', (_, wished, variants, ids) => {
    expect(idsOf(matchOneToOne(wished.map(dress), variants))).toEqual(ids);
  });
});

describe('the name of a colorway', () => {
  it.each([
    'Red',
    'Oak + Elm',
    'Grün',
    'a.b',
    '7',
    'a\\b',
    '& \' " #',
    'x'.repeat(200),
    'White/Midnight Navy/Light Smoke Grey-Fire Red',
    'Salt & Pepper @ "Night"',
  ])('the name of a colorway may be %s', (name) => expect(findNameProblem(name)).toBeNull());

  it.each([
    ['', 'is empty'],
    [' ', 'begins or ends with white space'],
    [' Red', 'begins or ends with white space'],
    ['Red ', 'begins or ends with white space'],
    ['a\nb', 'contains a line break or another control character'],
    ['a\0', 'contains a line break or another control character'],
    ['\uD800', 'contains an incomplete Unicode character'],
    ['x'.repeat(201), 'is 201 characters long, but at most 200 are allowed'],
  ])('the name of a colorway may not be %j: it %s', (name, refusal) =>
    expect(findNameProblem(name)).toBe(refusal),
  );

  it.each([
    [['Oak', 'Ash'], null],
    [['Oak', 'OAK'], 'OAK'],
    [['a/b', 'A/B'], 'A/B'],
    [['a/b', 'a-b', 'a@b', 'a\\b'], null],
    [['a/b', createCellKey('', 'a/b').slice(1)], createCellKey('', 'a/b').slice(1)],
  ])('the first duplicate among the colorway names %j is: %s', (names, twice) => {
    expect(findDuplicateName(names)).toBe(twice);
  });
});

describe('the key of a cell', () => {
  // These keys must never change: records, and renders that were paid, are found by them.
  it.each([
    ['Oak', 'chairs/oslo@Oak'],
    ['Oak + Brass', 'chairs/oslo@Oak + Brass'],
    ['Say "x" ~ #1', 'chairs/oslo@Say "x" ~ #1'],
    ['Grün: <a|b>?*', 'chairs/oslo@Grün: <a|b>?*'],
    ['x'.repeat(100), `chairs/oslo@${'x'.repeat(100)}`],
    ['..', 'chairs/oslo@..'],
    ['White/Navy', 'chairs/oslo@White-Navy~0osmh0y'],
    ['a @ b', 'chairs/oslo@a - b~06xk73m'],
  ])('the key of %s is %s', (name, key) => expect(createCellKey('chairs/oslo', name)).toBe(key));

  it('the keys of different names differ', () => {
    const text = fc.array(fc.constantFrom('a', 'A', '/', '\\', '@', '-', '~'), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(text, text, (x, y) => {
        const [one, other] = [x.join(''), y.join('')];
        fc.pre(one !== other);
        expect(createCellKey('m', one)).not.toBe(createCellKey('m', other));
        expect(createCellKey('m', one).slice(2)).not.toMatch(/[/\\@]/);
      }),
      { numRuns: 1_000 },
    );
  });
});
