// The values that assets hold: where they are kept, how they are shown, and how they go.
import type { z } from 'zod';
import type { PropertyValue } from '../../api/operations/assets.ts';
import type { AssetType } from '../../api/operations/properties.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Store } from '../store.ts';
import { inOrder } from './definitions.ts';
import type { PropertyRecord, StoredValue } from './records.ts';

export type AssetValues = Readonly<Record<string, StoredValue>>;

const none: AssetValues = {};

function assetKey(assetType: AssetType, id: string): string {
  return `${assetType}/${id}`;
}

/** The values of one asset by property id; empty when it has none. */
export function valuesOf(store: Store, assetType: AssetType, id: string): AssetValues {
  return store.assetValues.get(assetKey(assetType, id))?.values ?? none;
}

/** Keeps these values in place of all that the asset had. */
export function keepValues(
  store: Store,
  assetType: AssetType,
  assetId: string,
  values: AssetValues,
): void {
  const id = assetKey(assetType, assetId);
  const record = store.assetValues.get(id);
  if (record) store.assetValues.update(record, { values });
  else store.assetValues.insert({ id, assetType, assetId, values });
}

/** Drops the values of a deleted asset. To be called by whatever deletes one. */
export function forgetAsset({ store }: Sandbox, assetType: AssetType, id: string): void {
  store.assetValues.remove(assetKey(assetType, id));
}

/** Makes the function that shows values in the workspace's order, archived properties included. */
export function valueShower(store: Store) {
  const properties = inOrder(store);
  return (values: AssetValues): z.input<typeof PropertyValue>[] =>
    properties.flatMap((property) => {
      const value = values[property.id];
      return value ? [shown(property, value)] : [];
    });
}

function shown(property: PropertyRecord, value: StoredValue): z.input<typeof PropertyValue> {
  const { id, key, name, type } = property;
  const head = { propertyId: id, key, name, type };
  return 'optionIds' in value
    ? { ...head, optionIds: [...value.optionIds] }
    : { ...head, ...value };
}
