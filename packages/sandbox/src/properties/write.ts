// The bulk write of values. Everything is validated before anything changes.

import type { assetOperations, PropertyChange } from 'renderline/api/operations/assets';
import type { AssetType, PropertyType } from 'renderline/api/operations/properties';
import type { z } from 'zod';
import { refuseInput } from '../http/failure.ts';
import type { PropertyRecord, StoredDate, StoredValue } from '../state/property-records.ts';
import type { Store } from '../state/store.ts';
import { isForAssetType, requireProperty, titleOf } from './definitions.ts';
import type { AssetValues } from './values.ts';

type Body = z.output<typeof assetOperations.setAssetProperties.body>;
type Change = z.output<typeof PropertyChange>;

/** Maps the current value of an asset to its new value. Undefined means no value. */
type Effect = (current: StoredValue | undefined) => StoredValue | undefined;

const clear: Effect = () => undefined;
const dayMs = 24 * 60 * 60 * 1000;

const valueFields = ['optionIds', 'text', 'number', 'date', 'endDate'] as const;
type ValueField = (typeof valueFields)[number];

const mainField: Record<PropertyType, ValueField> = {
  SELECT: 'optionIds',
  MULTI_SELECT: 'optionIds',
  TEXT: 'text',
  NUMBER: 'number',
  DATE: 'date',
};

/** Returns a function from an asset's values to its new values. @throws ApiFailure VALIDATION_ERROR, NOT_FOUND */
export function planWrite(store: Store, body: Body): (values: AssetValues) => AssetValues {
  const { assetType, set = [], unset = [], mode } = body;
  if (set.length === 0 && unset.length === 0) {
    refuseInput('body: nothing to do; send set or unset');
  }
  const effects = new Map<string, Effect>();
  for (const [index, change] of set.entries()) {
    const location = `set[${index}]`;
    const property = requireProperty(store, change.propertyId);
    if (effects.has(property.id)) {
      refuseInput(`${location}: ${titleOf(property)} is set twice`);
    }
    effects.set(property.id, createSetEffect(property, change, { assetType, mode, location }));
  }
  for (const propertyId of new Set(unset)) {
    const property = requireProperty(store, propertyId);
    if (effects.has(property.id)) {
      refuseInput(`unset: ${titleOf(property)} is also in set`);
    }
    effects.set(property.id, clear);
  }
  return (values) => applyEffects(values, effects);
}

function applyEffects(values: AssetValues, effects: ReadonlyMap<string, Effect>): AssetValues {
  const next = { ...values };
  for (const [propertyId, effect] of effects) {
    const value = effect(values[propertyId]);
    if (value === undefined) delete next[propertyId];
    else next[propertyId] = value;
  }
  return next;
}

interface Context {
  readonly assetType: AssetType;
  readonly mode: Body['mode'];
  readonly location: string;
}

function createSetEffect(property: PropertyRecord, change: Change, context: Context): Effect {
  const { assetType, location } = context;
  assertFieldsAllowed(property, change, location);
  const value = change[mainField[property.type]];
  const isBlank = typeof value === 'string' && value.trim() === '';
  const isEmpty = Array.isArray(value) && value.length === 0;
  if (value === null || isBlank || isEmpty) {
    if (typeof change.endDate !== 'number') return clear;
    refuseInput(`${location}.endDate: can be sent only with a date`);
  }
  // Existing values stay readable and can be cleared. Only new values are refused.
  if (property.archived) {
    refuseInput(`${location}: ${titleOf(property)} is archived and cannot get new values`);
  }
  if (!isForAssetType(property, assetType)) {
    refuseInput(`${location}: ${titleOf(property)} does not apply to ${assetType}`);
  }
  if (Array.isArray(value)) return optionEffect(property, value, context);
  if (typeof value === 'string') return createConstantEffect({ text: value });
  if (property.type === 'NUMBER') return createConstantEffect({ number: value ?? 0 });
  return createConstantEffect(toDateValue(property, value ?? 0, change.endDate, location));
}

function createConstantEffect(value: StoredValue): Effect {
  return () => value;
}

/** Refuses value fields of other types, except null ones, and requires the field of the property's type. */
function assertFieldsAllowed(property: PropertyRecord, change: Change, location: string): void {
  const { type } = property;
  const ownField = mainField[type];
  const foreignField = valueFields.find(
    (field) =>
      field !== ownField &&
      !(field === 'endDate' && type === 'DATE') &&
      (change[field] ?? null) !== null,
  );
  if (foreignField !== undefined) {
    refuseInput(`${location}.${foreignField}: ${titleOf(property)} is ${type}; use ${ownField}`);
  }
  if (change[ownField] === undefined) {
    refuseInput(`${location}: ${titleOf(property)} is ${type}; send ${ownField}`);
  }
}

function optionEffect(
  property: PropertyRecord,
  requestedIds: readonly string[],
  context: Context,
): Effect {
  const { mode, location } = context;
  const optionIds = [...new Set(requestedIds)];
  const title = titleOf(property);
  const options = new Map(property.options.map((option) => [option.id, option]));
  const unknownId = optionIds.find((id) => !options.has(id));
  if (unknownId !== undefined) {
    refuseInput(`${location}.optionIds: ${title} has no option ${unknownId}`);
  }
  if (property.type === 'SELECT' && optionIds.length > 1) {
    refuseInput(`${location}.optionIds: ${title} is SELECT; use exactly one option`);
  }
  const archived = optionIds.filter((id) => options.get(id)?.archived);
  return (current) => {
    const oldOptionIds = current && 'optionIds' in current ? current.optionIds : [];
    // An archived option that the asset already has is valid, so that a read value can be written back.
    const newArchivedId = archived.find((id) => !oldOptionIds.includes(id));
    if (newArchivedId !== undefined) {
      const label = options.get(newArchivedId)?.label;
      refuseInput(`${location}.optionIds: option "${label}" is archived and cannot get new values`);
    }
    const union = mode === 'ADD' && property.type === 'MULTI_SELECT';
    return { optionIds: union ? [...new Set([...oldOptionIds, ...optionIds])] : optionIds };
  };
}

function utcMidnightOf(epochMs: number): number {
  return Math.floor(epochMs / dayMs) * dayMs;
}

function toDateValue(
  property: PropertyRecord,
  start: number,
  end: number | null | undefined,
  location: string,
): StoredDate {
  const date = utcMidnightOf(start);
  if (end === null || end === undefined) return { date };
  if (!property.dateRange) {
    refuseInput(`${location}.endDate: ${titleOf(property)} can only have single dates`);
  }
  const endDate = utcMidnightOf(end);
  if (endDate < date) refuseInput(`${location}.endDate: is before date`);
  return { date, endDate };
}
