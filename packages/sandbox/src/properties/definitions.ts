// Property definitions: response body, order, keys, and the limit on active properties.

import {
  type AssetType,
  maxActiveProperties,
  type PropertyDefinition,
} from 'renderline/api/operations/properties';
import { type TakenNames, takeFreeName } from 'renderline/language/naming/free-name';
import type { z } from 'zod';
import { fail, refuseInput } from '../http/failure.ts';
import type { PropertyRecord } from '../state/property-records.ts';
import type { Store } from '../state/store.ts';

/** Returns the property with this id. @throws ApiFailure NOT_FOUND */
export function requireProperty(store: Store, propertyId: string): PropertyRecord {
  return (
    store.properties.get(propertyId) ??
    fail('NOT_FOUND', `The property ${propertyId} does not exist.`)
  );
}

export function toDefinition(property: PropertyRecord): z.input<typeof PropertyDefinition> {
  const { id, name, key, type, appliesTo, options, archived, dateRange } = property;
  return {
    id,
    name,
    key,
    type,
    appliesTo: [...appliesTo],
    options: options.toSorted((a, b) => a.sortOrder - b.sortOrder),
    archived,
    dateRange: type === 'DATE' ? dateRange : undefined,
  };
}

/** Lists all properties in the workspace's order. */
export function listPropertiesInOrder(store: Store): PropertyRecord[] {
  return store.properties.all.toSorted((a, b) => a.position - b.position);
}

export function isForAssetType(property: PropertyRecord, assetType: AssetType): boolean {
  return property.appliesTo.includes(assetType);
}

/** Returns the property's name in messages. */
export function titleOf({ name, id }: PropertyRecord): string {
  return `property "${name}" (${id})`;
}

/** @throws ApiFailure VALIDATION_ERROR if one more active property would exceed the limit */
export function assertBelowPropertyLimit(store: Store): void {
  const active = store.properties.all.filter(({ archived }) => !archived).length;
  if (active < maxActiveProperties) return;
  refuseInput(
    `The workspace has ${active} active properties, the maximum; archive a property first.`,
  );
}

/** Creates a key such as `heel_height_mm` for `Heel height (mm)`, with a number if the key is taken. */
export function createKey(name: string, takenNames: TakenNames): string {
  const words = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return takeFreeName(words?.join('_') ?? 'property', takenNames, '_');
}

/**
 * Moves the given properties to the front in this order. The others keep their order. Changes nothing if it throws.
 * @throws ApiFailure NOT_FOUND, VALIDATION_ERROR
 */
export function reorder(store: Store, ids: readonly string[]): void {
  const frontIds = new Set(ids);
  if (frontIds.size < ids.length) refuseInput('ids: contains a property twice');
  const first = ids.map((id) => requireProperty(store, id));
  const others = listPropertiesInOrder(store).filter(({ id }) => !frontIds.has(id));
  for (const [position, property] of [...first, ...others].entries()) {
    if (property.position !== position) store.properties.update(property, { position });
  }
}
