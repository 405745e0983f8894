// Property filters, which are validated against the definitions once and then applied to many assets.

import type { PropertyFilter } from 'renderline/api/operations/assets';
import type { AssetType } from 'renderline/api/operations/properties';
import type { z } from 'zod';
import { fail, refuseInput } from '../http/failure.ts';
import type { PropertyRecord, StoredValue } from '../state/property-records.ts';
import { isForAssetType, titleOf } from './definitions.ts';
import { isSelectType } from './options.ts';
import type { AssetValues } from './values.ts';

type Filter = z.output<typeof PropertyFilter>;
type ValueTest = (value: StoredValue) => boolean;

export interface FilterScope {
  readonly assetType: AssetType;
  readonly find: (propertyId: string) => PropertyRecord | undefined;
  /** Error code for an unknown property, which differs between model lists and asset search. */
  readonly unknownProperty: 'NOT_FOUND' | 'VALIDATION_ERROR';
}

/** Combines filters into a test that values must pass for all. @throws ApiFailure VALIDATION_ERROR, or scope's code */
export function compileFilters(
  filters: readonly Filter[],
  scope: FilterScope,
): (values: AssetValues) => boolean {
  const tests = filters.map((filter, index) => {
    const location = `properties[${index}]`;
    const property = requireProperty(filter.propertyId, scope, location);
    const { id } = property;
    if (filter.isEmpty) return (values: AssetValues) => values[id] === undefined;
    const test = createValueTest(filter, property, location);
    return (values: AssetValues) => {
      const value = values[id];
      return value !== undefined && test(value);
    };
  });
  return (values) => tests.every((test) => test(values));
}

function requireProperty(propertyId: string, scope: FilterScope, location: string): PropertyRecord {
  const property =
    scope.find(propertyId) ??
    fail(
      scope.unknownProperty,
      `${location}.propertyId: the property ${propertyId} does not exist`,
    );
  if (!isForAssetType(property, scope.assetType)) {
    refuseInput(
      `${location}.propertyId: ${titleOf(property)} does not apply to ${scope.assetType}`,
    );
  }
  return property;
}

/** The schema ensures that there is at most one kind of condition. */
function createValueTest(filter: Filter, property: PropertyRecord, location: string): ValueTest {
  const { optionIds, text, min, max, after, before } = filter;
  const need = (fits: boolean, fields: string) => {
    if (fits) return;
    refuseInput(
      `${location}: ${fields} cannot be used with ${titleOf(property)}, which is ${property.type}`,
    );
  };
  if (optionIds !== undefined) {
    need(isSelectType(property.type), 'optionIds');
    return createOptionTest(property, optionIds, location);
  }
  if (text !== undefined) {
    need(property.type === 'TEXT', 'text');
    return createContainsTest(text);
  }
  if (min !== undefined || max !== undefined) {
    need(property.type === 'NUMBER', 'min and max');
    const range = createRange(min, max);
    return (value) => 'number' in value && value.number >= range.min && value.number <= range.max;
  }
  if (after !== undefined || before !== undefined) {
    need(property.type === 'DATE', 'after and before');
    const range = createRange(after, before);
    return (value) => 'date' in value && value.date >= range.min && value.date <= range.max;
  }
  return () => true;
}

function createRange(min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY) {
  return { min, max };
}

/** Archived options may be searched. Unknown options may not. */
function createOptionTest(
  property: PropertyRecord,
  optionIds: readonly string[],
  location: string,
) {
  const existingIds = new Set(property.options.map(({ id }) => id));
  const unknownId = optionIds.find((id) => !existingIds.has(id));
  if (unknownId !== undefined) {
    refuseInput(`${location}.optionIds: ${titleOf(property)} has no option ${unknownId}`);
  }
  const requestedIds = new Set(optionIds);
  const test: ValueTest = (value) =>
    'optionIds' in value && value.optionIds.some((id) => requestedIds.has(id));
  return test;
}

function createContainsTest(text: string): ValueTest {
  const part = text.toLowerCase();
  return (value) => 'text' in value && value.text.toLowerCase().includes(part);
}
