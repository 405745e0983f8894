// Adds, changes and merges the options of select properties.
import { maxOptions, type PropertyType } from 'renderline/api/operations/properties';
import { fail, refuseInput } from '../http/failure.ts';
import type { OptionRecord, PropertyRecord, StoredValue } from '../state/property-records.ts';
import type { Store } from '../state/store.ts';
import { titleOf } from './definitions.ts';

export function isSelectType(type: PropertyType): boolean {
  return type === 'SELECT' || type === 'MULTI_SELECT';
}

/** @throws ApiFailure VALIDATION_ERROR if the property has no options */
export function requireSelect(property: PropertyRecord): void {
  if (isSelectType(property.type)) return;
  refuseInput(`${titleOf(property)} is ${property.type}; only select types have options`);
}

/** Returns the option with this id. @throws ApiFailure NOT_FOUND */
export function requireOption(property: PropertyRecord, optionId: string): OptionRecord {
  return (
    property.options.find(({ id }) => id === optionId) ??
    fail('NOT_FOUND', `${titleOf(property)} has no option ${optionId}.`)
  );
}

function assertLabelAllowed(options: readonly OptionRecord[], label: string): void {
  const duplicate = options.find((option) => option.label === label);
  if (!duplicate) return;
  const problem = duplicate.archived
    ? 'an archived option has this label; restore this option'
    : 'already in use';
  refuseInput(`label: "${label}" is ${problem}`);
}

/** Appends an option. @throws ApiFailure VALIDATION_ERROR for a repeated label and above the limit */
export function addOption(
  store: Store,
  property: PropertyRecord,
  label: string,
  color: string | null,
): OptionRecord {
  const { options } = property;
  assertLabelAllowed(options, label);
  if (options.length >= maxOptions) {
    refuseInput(`${titleOf(property)} has ${maxOptions} options, the maximum`);
  }
  const last = Math.max(-1, ...options.map((option) => option.sortOrder));
  // If the sort order cannot grow further, options sort by creation, so the new one is still last.
  const sortOrder = Math.min(last + 1, Number.MAX_SAFE_INTEGER);
  const option = { id: store.newId('option'), label, color, sortOrder, archived: false };
  store.properties.update(property, { options: [...options, option] });
  return option;
}

/** Changes the given fields of an option. @throws ApiFailure NOT_FOUND, VALIDATION_ERROR */
export function changeOption(
  store: Store,
  property: PropertyRecord,
  optionId: string,
  change: { readonly [Field in keyof OptionRecord]?: OptionRecord[Field] | undefined },
): void {
  const option = requireOption(property, optionId);
  if (Object.values(change).every((value) => value === undefined)) {
    refuseInput('body: nothing to change; send archived, label, color or sortOrder');
  }
  if (change.label !== undefined && change.label !== option.label) {
    assertLabelAllowed(property.options, change.label);
  }
  store.properties.update(property, {
    options: property.options.map((other) =>
      other === option ? Object.assign({}, option, change) : other,
    ),
  });
}

/** Returns the value with one option replaced by another, without duplicates. */
export function replaceOption(
  optionIds: readonly string[],
  fromId: string,
  intoId: string,
): readonly string[] {
  return [...new Set(optionIds.map((id) => (id === fromId ? intoId : id)))];
}

/** Replaces an option on every asset, then deletes that option. @throws ApiFailure NOT_FOUND, VALIDATION_ERROR */
export function mergeOptions(
  store: Store,
  property: PropertyRecord,
  fromOptionId: string,
  intoOptionId: string,
): void {
  const source = requireOption(property, fromOptionId);
  const target = requireOption(property, intoOptionId);
  if (source === target) refuseInput('intoOptionId: an option cannot merge into itself');
  if (target.archived) {
    refuseInput(`intoOptionId: option "${target.label}" is archived; restore the option first`);
  }
  for (const asset of store.assetValues.all) {
    const value = asset.values[property.id];
    if (!hasOption(value, source.id)) continue;
    const optionIds = replaceOption(value.optionIds, source.id, target.id);
    store.assetValues.update(asset, { values: { ...asset.values, [property.id]: { optionIds } } });
  }
  store.properties.update(property, {
    options: property.options.filter((option) => option !== source),
  });
}

function hasOption(
  value: StoredValue | undefined,
  optionId: string,
): value is { readonly optionIds: readonly string[] } {
  return value !== undefined && 'optionIds' in value && value.optionIds.includes(optionId);
}
