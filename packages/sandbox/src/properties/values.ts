// Stores, formats and deletes the property values of assets.

import type { PropertyValue } from 'renderline/api/operations/assets';
import type { AssetType } from 'renderline/api/operations/properties';
import type { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import type { PropertyRecord, StoredValue } from '../state/property-records.ts';
import type { Store } from '../state/store.ts';
import { listPropertiesInOrder } from './definitions.ts';

export type AssetValues = Readonly<Record<string, StoredValue>>;

const none: AssetValues = {};

/** Finds the values of an asset by property id. Empty if it has none. */
export function findValues(store: Store, assetType: AssetType, id: string): AssetValues {
  const record = store.assetValues.get(id);
  return record?.assetType === assetType ? record.values : none;
}

/** Replaces all values of an asset. */
export function setAssetValues(
  store: Store,
  assetType: AssetType,
  id: string,
  values: AssetValues,
): void {
  const record = store.assetValues.get(id);
  if (record) store.assetValues.update(record, { values });
  else store.assetValues.insert({ id, assetType, values });
}

/** Deletes the values of an asset. To be called whenever an asset is deleted. */
export function deleteAssetValues({ store }: Sandbox, assetType: AssetType, id: string): void {
  if (store.assetValues.get(id)?.assetType === assetType) store.assetValues.remove(id);
}

/** Creates a function that formats values in the workspace's order, including archived properties. */
export function createValueFormatter(store: Store) {
  const properties = listPropertiesInOrder(store);
  return (values: AssetValues): z.input<typeof PropertyValue>[] =>
    properties.flatMap((property) => {
      const value = values[property.id];
      return value ? [formatProperty(property, value)] : [];
    });
}

function formatProperty(
  property: PropertyRecord,
  value: StoredValue,
): z.input<typeof PropertyValue> {
  const { id, key, name, type } = property;
  const head = { propertyId: id, key, name, type };
  return 'optionIds' in value
    ? { ...head, optionIds: [...value.optionIds] }
    : { ...head, ...value };
}
