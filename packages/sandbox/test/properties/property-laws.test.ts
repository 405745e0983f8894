// Properties of values and filters, compared with trivially simple models.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PropertyFilter } from '../../../../src/api/operations/assets.ts';
import { assetTypes, type PropertyType } from '../../../../src/api/operations/properties.ts';
import { createKey } from '../../src/properties/definitions.ts';
import { compileFilters } from '../../src/properties/filter.ts';
import { replaceOption } from '../../src/properties/options.ts';
import type { AssetValues } from '../../src/properties/values.ts';
import { planWrite } from '../../src/properties/write.ts';
import type { PropertyRecord, StoredValue } from '../../src/state/property-records.ts';
import { Store } from '../../src/state/store.ts';

const labels = ['a', 'b', 'c', 'd'] as const;

function property(id: string, type: PropertyType): PropertyRecord {
  const select = type === 'SELECT' || type === 'MULTI_SELECT';
  return {
    id,
    name: id,
    key: id,
    type,
    appliesTo: assetTypes,
    options: select
      ? labels.map((label, sortOrder) => ({
          id: label,
          label,
          color: null,
          sortOrder,
          archived: false,
        }))
      : [],
    dateRange: false,
    archived: false,
    position: 0,
  };
}

const properties = [
  property('single', 'SELECT'),
  property('multi', 'MULTI_SELECT'),
  property('text', 'TEXT'),
  property('number', 'NUMBER'),
  property('date', 'DATE'),
];
const byId = new Map(properties.map((one) => [one.id, one]));

const options = fc.uniqueArray(fc.constantFrom(...labels), { minLength: 1 });
const text = fc.string({
  unit: fc.constantFrom('a', 'B', 'b', '%', '.', ' ', 'É', 'é'),
  minLength: 1,
  maxLength: 4,
});
const number = fc.integer({ min: -3, max: 3 });
const date = fc.integer({ min: -3, max: 3 }).map((days) => days * 86_400_000);

const values = fc.record(
  {
    single: options.map((ids) => ({ optionIds: ids.slice(0, 1) })),
    multi: options.map((optionIds) => ({ optionIds })),
    text: text.map((given) => ({ text: given })),
    number: number.map((given) => ({ number: given })),
    date: date.map((given) => ({ date: given })),
  },
  { requiredKeys: [] },
);

const range = (low: string, high: string, bound: fc.Arbitrary<number>) =>
  fc
    .record({ [low]: bound, [high]: bound }, { requiredKeys: [] })
    .filter((given) => (given[low] ?? -Infinity) <= (given[high] ?? Infinity));

const condition = fc.oneof(
  fc.record({ propertyId: fc.constantFrom('single', 'multi'), optionIds: options }),
  fc.record({ propertyId: fc.constant('text'), text }),
  range('min', 'max', number).map((bounds) => ({ propertyId: 'number', ...bounds })),
  range('after', 'before', date).map((bounds) => ({ propertyId: 'date', ...bounds })),
  fc.record({ propertyId: fc.constantFrom(...byId.keys()) }),
  fc.record({ propertyId: fc.constantFrom(...byId.keys()), isEmpty: fc.constant(true as const) }),
);

/** The documented table of values by type. */
function naive(filter: PropertyFilter, held: Record<string, StoredValue | undefined>): boolean {
  // All value fields are present at once, so that each type needs one line.
  const value = held[filter.propertyId] as
    | { optionIds?: string[]; text?: string; number?: number; date?: number }
    | undefined;
  if (filter.isEmpty === true) return value === undefined;
  if (value === undefined) return false;
  const within = (given = Number.NaN, low = -Infinity, high = Infinity) =>
    given >= low && given <= high;
  if (filter.optionIds) return filter.optionIds.some((id) => value.optionIds?.includes(id));
  if (filter.text) return (value.text ?? '').toUpperCase().includes(filter.text.toUpperCase());
  if ('min' in filter || 'max' in filter) return within(value.number, filter.min, filter.max);
  if ('after' in filter || 'before' in filter)
    return within(value.date, filter.after, filter.before);
  return true;
}

const scope = {
  assetType: 'MODEL',
  find: (id: string) => byId.get(id),
  unknownProperty: 'NOT_FOUND',
} as const;

describe('filters', () => {
  test('combined filters match the assets that the table lists', () => {
    let hits = 0;
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), values, (given, held) => {
        const filters = given.map((filter) => PropertyFilter.parse(filter));
        const matched = compileFilters(filters, scope)(held);
        expect(matched).toBe(filters.every((filter) => naive(filter, held)));
        if (matched && filters.length > 0) hits += 1;
      }),
      { numRuns: 2000 },
    );
    expect(hits).toBeGreaterThan(50);
  });

  test('filters without an operator match exactly the assets that isEmpty does not match', () => {
    fc.assert(
      fc.property(fc.constantFrom(...byId.keys()), values, (propertyId, held) => {
        const has = compileFilters([{ propertyId }], scope)(held);
        expect(compileFilters([{ propertyId, isEmpty: true }], scope)(held)).toBe(!has);
      }),
    );
  });
});

describe('writes', () => {
  const store = new Store({ seed: 1 });
  for (const one of properties) store.properties.insert(one);
  const write = (held: AssetValues, mode: 'ADD' | 'REPLACE', more: object) =>
    planWrite(store, { assetType: 'MODEL', ids: ['x'], mode, ...more })(held);
  const set = (optionIds: string[]) => ({ set: [{ propertyId: 'multi', optionIds }] });

  test('writes with ADD append new options in their order, and are idempotent', () => {
    fc.assert(
      fc.property(options, options, (old, added) => {
        const once = write({ multi: { optionIds: old } }, 'ADD', set(added));
        expect(once).toEqual({ multi: { optionIds: [...new Set([...old, ...added])] } });
        expect(write(once, 'ADD', set(added))).toEqual(once);
      }),
    );
  });

  test('writes with REPLACE drop the old options, and unset does not affect other properties', () => {
    fc.assert(
      fc.property(values, options, fc.constantFrom(...byId.keys()), (held, given, propertyId) => {
        // Keys that fast-check omits are absent, not undefined.
        const old = held as AssetValues;
        expect(write(old, 'REPLACE', set(given))).toEqual({ ...old, multi: { optionIds: given } });
        const { [propertyId]: _gone, ...rest } = old;
        expect(write(old, 'REPLACE', { unset: [propertyId] })).toEqual(rest);
      }),
    );
  });
});

test('a merge removes the source, contains the target once, and keeps the order of the others', () => {
  const pair = fc.uniqueArray(fc.constantFrom(...labels), { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(options, pair, (held, [from = '', into = '']) => {
      const merged = replaceOption(held, from, into);
      expect(merged).not.toContain(from);
      expect(new Set(merged).size).toBe(merged.length);
      expect(merged.includes(into)).toBe(held.some((id) => id === from || id === into));
      const others = (ids: readonly string[]) => ids.filter((id) => id !== from && id !== into);
      expect(others(merged)).toEqual(others(held));
    }),
  );
});

test('keys are words joined by underscores, and never repeat', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 6 }), (names) => {
      const taken = new Map<string, number>();
      const keys = names.map((name) => createKey(name, taken));
      expect(new Set(keys).size).toBe(keys.length);
      for (const key of keys) expect(key).toMatch(/^[\p{L}\p{M}\p{N}]+(_[\p{L}\p{M}\p{N}]+)*$/u);
    }),
  );
});
