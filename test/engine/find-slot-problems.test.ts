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
    ['a slot with the exact name', [rule('leather')], ['leather', 'sole'], []],
    [
      'a slot whose name differs in case from an exact name',
      [rule('Leather')],
      ['leather'],
      ['COLORWAY_NO_SLOT'],
    ],
    [
      'a slot whose name contains the text, in any case',
      [rule('EATH', 'contains')],
      ['leather'],
      [],
    ],
    ['two slots with the same exact name', [rule('sole')], ['sole', 'sole'], ['SLOT_AMBIGUOUS']],
    [
      'two slots whose names contain the text, which the rule allows',
      [rule('sole', 'contains')],
      ['sole', 'sole'],
      [],
    ],
    ['a slot without a name', [rule('sole', 'contains')], [null], ['COLORWAY_NO_SLOT']],
    ['a slot whose accents are encoded differently', [rule('Bez\u00fcge')], ['Bezu\u0308ge'], []],
    [
      'a slot whose name contains the text in another encoding',
      [rule('ZU\u0308', 'contains')],
      ['Bez\u00fcge'],
      [],
    ],
    ['a slot that matches one of two rules', [rule('sole'), rule('lace')], ['lace'], []],
  ])(
    'findSlotProblems() returns the expected problems for %s',
    (_, swapRules, materials, expected) => {
      expect(codes({ swapRules }, materials)).toEqual(expected);
    },
  );

  it('the list of slots has each name once', () => {
    const materials = [...Array<string>(9).fill('phong'), 'sole'];
    const expectation = { node: 'v', swapRules: [rule('lace'), rule('heel')], choose: null };
    expect(findSlotProblems(expectation, { materials, variants: [] })).toMatchObject([
      { message: 'no slot matches a swap rule; its slots are "phong", "sole"' },
    ]);
  });
});

describe('names of variants', () => {
  it.each([
    ['a variant with the name', ['Red'], ['Red', 'Blue'], []],
    ['a variant whose name is encoded differently', ['Gr\u00fcn'], ['Gru\u0308n'], []],
    ['a missing variant', ['Green'], ['Red'], ['VARIANT_NOT_FOUND']],
    ['two variants with the same name', ['Red'], ['Red', 'Red'], ['VARIANT_AMBIGUOUS']],
    ['a glob, which is left to the run', ['Gr*'], ['Red'], []],
    ['a variant whose name contains brackets', ['Blue (matte)'], ['Blue (matte)'], []],
  ])('findSlotProblems() returns the expected problems for %s', (_, names, variants, expected) => {
    expect(codes({ choose: { names } }, [], variants)).toEqual(expected);
  });

  it('variants are not checked if swap rules will create new ones', () => {
    const wishes = { swapRules: [rule('a')], choose: { names: ['Oak'] } };
    expect(codes(wishes, ['a'], ['Red'])).toEqual([]);
  });
});

describe('names of megabytes', () => {
  const long = 'm'.repeat(2_000_000);
  it.each<[string, Partial<VariantExpectation>, string[], string[]]>([
    ['slots', { swapRules: [rule('seat')] }, [long, `${long}n`], []],
    ['slots of a cell', { swapRules: [rule('seat')], isEachNeeded: true }, [long], []],
    ['a renumbered slot', { swapRules: [rule(long)], isEachNeeded: true }, [`${long}.001`], []],
    ['variants', { choose: { names: ['Red'] } }, [], [long]],
  ])('a message about %s quotes only their start', (_, expectation, materials, variants) => {
    const [finding] = findSlotProblems(
      { node: 'v', swapRules: [], choose: null, ...expectation },
      { materials, variants },
    );
    expect(finding?.message.replace(`no slot "${long}"`, '').length).toBeLessThan(500);
    expect(finding?.message).toMatch(/"m{120}"/);
  });
});

describe('a slot that another export has renumbered', () => {
  it.each([
    ['Fabric', 'Fabric.001', true],
    ['Fabric.001', 'Fabric', true],
    ['Fabric.001', 'fabric_2', true],
    ['Fabric', 'Fabric (2)', true],
    ['M\u00f6bel', 'Mo\u0308bel.001', true],
    ['Leg', 'Leg2', false],
    ['001', '.002', false],
  ])(
    'the message about a rule for %s mentions the renumbered slot %s: %s',
    (name, slot, expected) => {
      const wishes = { node: 'v', swapRules: [rule(name)], choose: null, isEachNeeded: true };
      const [finding] = findSlotProblems(wishes, { materials: [slot, 'Wood'], variants: [] });
      expect(
        finding?.message.includes(`the model has "${slot}": 3D programs can change the number`),
      ).toBe(expected);
    },
  );
});
