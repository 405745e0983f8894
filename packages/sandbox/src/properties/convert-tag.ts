// Copies a model tag into a select property. The tag is kept.
import { fail, refuseInput } from '../http/failure.ts';
import type { OptionRecord, PropertyRecord } from '../state/property-records.ts';
import type { Store } from '../state/store.ts';
import { isForAssetType, titleOf } from './definitions.ts';
import { addOption } from './options.ts';
import { findValues, setAssetValues } from './values.ts';

/**
 * Sets the option with the tag's name on all models with the tag. A multi-select keeps its other options, and a single
 * select is set only if it has no value.
 * @returns the option, and how many of the models have it now
 * @throws ApiFailure NOT_FOUND, VALIDATION_ERROR
 */
export function convertTag(
  store: Store,
  property: PropertyRecord,
  tagId: string,
): { optionId: string; updated: number } {
  const tag = store.tags.get(tagId) ?? fail('NOT_FOUND', `The tag ${tagId} does not exist.`);
  if (property.archived)
    refuseInput(`${titleOf(property)} is archived; restore the property first`);
  if (!isForAssetType(property, 'MODEL')) {
    refuseInput(`${titleOf(property)} does not apply to MODEL, but only models have tags`);
  }
  const option = optionFor(store, property, tag.name);
  let updated = 0;
  for (const model of store.models.all) {
    if (!model.tagIds?.includes(tag.id)) continue;
    const values = findValues(store, 'MODEL', model.id);
    const value = values[property.id];
    const oldOptionIds = value && 'optionIds' in value ? value.optionIds : [];
    const optionIds = withOption(property, oldOptionIds, option.id);
    if (optionIds !== oldOptionIds)
      setAssetValues(store, 'MODEL', model.id, { ...values, [property.id]: { optionIds } });
    if (optionIds.includes(option.id)) updated += 1;
  }
  return { optionId: option.id, updated };
}

function withOption(property: PropertyRecord, oldOptionIds: readonly string[], optionId: string) {
  if (oldOptionIds.includes(optionId)) return oldOptionIds;
  if (property.type === 'SELECT' && oldOptionIds.length > 0) return oldOptionIds;
  return [...oldOptionIds, optionId];
}

/** Returns the option with this label, otherwise one that differs only in case, otherwise a new one. */
function optionFor(store: Store, property: PropertyRecord, label: string): OptionRecord {
  const { options } = property;
  const match =
    options.find((option) => option.label === label) ??
    options.find((option) => option.label.toLowerCase() === label.toLowerCase());
  if (!match) return addOption(store, property, label, null);
  if (!match.archived) return match;
  return refuseInput(`tagId: option "${match.label}" is archived; restore the option first`);
}
