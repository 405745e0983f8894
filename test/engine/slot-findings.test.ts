// What a file says about swap rules and names of variants before anything is uploaded.
import { describe, expect, it } from 'vitest';
import { slotFindings, type VariantExpectation } from '../../src/features/slots/slot-findings.ts';

const rule = (matchText: string, matchMode: 'exact' | 'contains' = 'exact') => ({
  matchText,
  matchMode,
});
const codes = (
  wishes: Partial<VariantExpectation>,
  materials: (string | null)[],
  variants: string[] = [],
) =>
  slotFindings({ node: 'v', swapRules: [], choose: null, ...wishes }, { materials, variants }).map(
    ({ code }) => code,
  );

describe('slots', () => {
  it.each([
    ['one of the name', [rule('leather')], ['leather', 'sole'], []],
    ['another case of an exact name', [rule('Leather')], ['leather'], ['COLORWAY_NO_SLOT']],
    ['a part of the name in any case', [rule('EATH', 'contains')], ['leather'], []],
    ['two of one exact name', [rule('sole')], ['sole', 'sole'], ['SLOT_AMBIGUOUS']],
    ['two that contain it, as was asked', [rule('sole', 'contains')], ['sole', 'sole'], []],
    ['none with a name', [rule('sole', 'contains')], [null], ['COLORWAY_NO_SLOT']],
    ['another encoding of accents', [rule('Bez\u00fcge')], ['Bezu\u0308ge'], []],
    ['a part in another encoding', [rule('ZU\u0308', 'contains')], ['Bez\u00fcge'], []],
    ['one of two rules', [rule('sole'), rule('lace')], ['lace'], []],
  ])('%s', (_, swapRules, materials, expected) => {
    expect(codes({ swapRules }, materials)).toEqual(expected);
  });
});

describe('variants', () => {
  it.each([
    ['a name', ['Red'], ['Red', 'Blue'], []],
    ['a name in another encoding', ['Gr\u00fcn'], ['Gru\u0308n'], []],
    ['a name that is not there', ['Green'], ['Red'], ['VARIANT_NOT_FOUND']],
    ['a name that two bear', ['Red'], ['Red', 'Red'], ['VARIANT_AMBIGUOUS']],
    ['a glob, which the run decides', ['Gr*'], ['Red'], []],
    ['a name with brackets that is there', ['Blue (matte)'], ['Blue (matte)'], []],
  ])('%s', (_, names, variants, expected) => {
    expect(codes({ choose: { names } }, [], variants)).toEqual(expected);
  });

  it('are not judged where rules will make others', () => {
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
  ])('%s and %s', (name, slot, expected) => {
    const wishes = { node: 'v', swapRules: [rule(name)], choose: null, isEachNeeded: true };
    const [finding] = slotFindings(wishes, { materials: [slot, 'Wood'], variants: [] });
    expect(
      finding?.message.includes(`the model has "${slot}": 3D programs change the number`),
    ).toBe(expected);
  });
});
