// Findings about swap rules and variant names in a file, before anything is uploaded.
import { describe, expect, it } from 'vitest';
import {
  findSlotProblems,
  type VariantExpectation,
} from '../../src/features/slots/find-slot-problems.ts';

const rule = (matchText: string, matchMode: 'exact' | 'contains' = 'exact') => ({
  matchText,
  matchMode,
});
const codes = (
  wishes: Partial<VariantExpectation>,
  materials: (string | null)[],
  variants: string[] = [],
) =>
  findSlotProblems(
    { node: 'v', swapRules: [], choose: null, ...wishes },
    { materials, variants },
  ).map(({ code }) => code);

describe('slots of swap rules', () => {
  it.each([
    ['with the exact name', [rule('leather')], ['leather', 'sole'], []],
    ['with an exact name in another case', [rule('Leather')], ['leather'], ['COLORWAY_NO_SLOT']],
    ['with a part of the name in any case', [rule('EATH', 'contains')], ['leather'], []],
    ['two with the same exact name', [rule('sole')], ['sole', 'sole'], ['SLOT_AMBIGUOUS']],
    [
      'two that contain the name, which the rule allows',
      [rule('sole', 'contains')],
      ['sole', 'sole'],
      [],
    ],
    ['without a name', [rule('sole', 'contains')], [null], ['COLORWAY_NO_SLOT']],
    ['with another encoding of accents', [rule('Bez\u00fcge')], ['Bezu\u0308ge'], []],
    ['with a part in another encoding', [rule('ZU\u0308', 'contains')], ['Bez\u00fcge'], []],
    ['for one of two rules', [rule('sole'), rule('lace')], ['lace'], []],
  ])(
    'findSlotProblems() returns the problems of a slot %s',
    (_, swapRules, materials, expected) => {
      expect(codes({ swapRules }, materials)).toEqual(expected);
    },
  );
});

describe('names of variants', () => {
  it.each([
    ['with the name', ['Red'], ['Red', 'Blue'], []],
    ['with the name in another encoding', ['Gr\u00fcn'], ['Gru\u0308n'], []],
    ['without the name', ['Green'], ['Red'], ['VARIANT_NOT_FOUND']],
    ['two with the same name', ['Red'], ['Red', 'Red'], ['VARIANT_AMBIGUOUS']],
    ['of a glob, which the run decides', ['Gr*'], ['Red'], []],
    ['with a name in brackets', ['Blue (matte)'], ['Blue (matte)'], []],
  ])('findSlotProblems() returns the problems of a variant: %s', (_, names, variants, expected) => {
    expect(codes({ choose: { names } }, [], variants)).toEqual(expected);
  });

  it('variants are not checked if swap rules will create others', () => {
    const wishes = { swapRules: [rule('a')], choose: { names: ['Oak'] } };
    expect(codes(wishes, ['a'], ['Red'])).toEqual([]);
  });
});

describe('a slot that another export has numbered', () => {
  it.each([
    ['Fabric', 'Fabric.001', true],
    ['Fabric.001', 'Fabric', true],
    ['Fabric.001', 'fabric_2', true],
    ['Fabric', 'Fabric (2)', true],
    ['M\u00f6bel', 'Mo\u0308bel.001', true],
    ['Leg', 'Leg2', false],
    ['001', '.002', false],
  ])('a slot is recognized for the name %s as %s: %s', (name, slot, expected) => {
    const wishes = { node: 'v', swapRules: [rule(name)], choose: null, isEachNeeded: true };
    const [finding] = findSlotProblems(wishes, { materials: [slot, 'Wood'], variants: [] });
    expect(
      finding?.message.includes(`the model has "${slot}": 3D programs change the number`),
    ).toBe(expected);
  });
});
