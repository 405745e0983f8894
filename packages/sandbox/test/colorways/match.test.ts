// Which slots a rule matches: examples and properties.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SwapRule } from '../../../../src/api/operations/colorways.ts';
import { findAmbiguousNames, isSlotMatch, matchSlots } from '../../src/colorways/match-slots.ts';
import { batchStatusOf } from '../../src/status/colorways.ts';

const slotsNamed = (...names: string[]) =>
  names.map((name, index) => ({ id: `slot-${index}`, name, materialIndex: index }));
const contains = (matchText: string, materialId = 'm'): SwapRule => ({
  matchText,
  matchMode: 'contains',
  materialId,
});
const exact = (matchText: string, materialId = 'm'): SwapRule => ({
  matchText,
  matchMode: 'exact',
  materialId,
});

test.each([
  [contains('fabric'), 'fabric Mango Velvet', true],
  [contains('FABRIC'), 'fabric Mango Velvet', true],
  [contains('velvet'), 'fabric Mango Velvet', true],
  [contains('velvet '), 'fabric Mango Velvet', false],
  [contains('.*'), 'fabric', false],
  [contains('a'), '', false],
  [exact('Body'), 'Body', true],
  [exact('body'), 'Body', false],
  [exact('Body'), 'Body 2', false],
  [exact(' '), '', false],
] as const)('the rule %j matches the slot %j: %s', (rule, name, matches) => {
  expect(slotsNamed(name).map((slot) => isSlotMatch(rule, slot))).toEqual([matches]);
});

describe('several rules for one slot', () => {
  test('rules are applied in order, so the first matching rule swaps the slot', () => {
    const slots = slotsNamed('wood Brown', 'wood Black', 'metal');
    const rules = [exact('wood Black', 'ebony'), contains('wood', 'oak')];
    expect(matchSlots(rules, slots)).toEqual({ 'slot-0': 'oak', 'slot-1': 'ebony' });
  });

  test('names that several slots share are reported only for exact rules', () => {
    const slots = slotsNamed('phong1SG', 'phong1SG', 'sole');
    expect(findAmbiguousNames([exact('phong1SG'), exact('sole')], slots)).toEqual(['phong1SG']);
    expect(findAmbiguousNames([contains('phong')], slots)).toEqual([]);
  });
});

const rule = fc.record({
  matchText: fc.string({ minLength: 1, maxLength: 3 }),
  matchMode: fc.constantFrom('contains' as const, 'exact' as const),
  materialId: fc.constantFrom('a', 'b', 'c'),
});
const names = fc.array(fc.string({ maxLength: 4 }), { maxLength: 6 });

test('a slot is swapped if and only if a rule matches it, and a later rule does not change its swap', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), rule, names, (rules, last, slotNames) => {
      const slots = slotsNamed(...slotNames);
      const swaps = matchSlots(rules, slots);
      for (const slot of slots) {
        expect(slot.id in swaps).toBe(rules.some((each) => isSlotMatch(each, slot)));
      }
      expect(matchSlots([...rules, last], slots)).toMatchObject(swaps);
    }),
  );
});

test.each([
  [[], 'complete'],
  [['queued'], 'in_progress'],
  [['complete', 'swapping'], 'in_progress'],
  [['failed', 'queued'], 'in_progress'],
  [['complete', 'complete'], 'complete'],
  [['failed', 'failed'], 'failed'],
  [['complete', 'failed'], 'partial_failure'],
] as const)('a batch with the jobs %j is %s', (jobs, status) => {
  expect(batchStatusOf(jobs)).toBe(status);
});
