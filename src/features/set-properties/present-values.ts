// Finds the assets that already have their values. Reads current values only if at least three different values would
// be written, because equal values share a write.
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { PropertyChange, PropertyValue } from '../../api/operations/assets.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { type AssetWithValues, searchAssets } from '../properties/search-assets.ts';
import type { DesiredProperties, PropertyOptions } from './desired-properties.ts';

type Value = ResponseOf<typeof PropertyValue>;

/** Minimum number of different values that justifies reading the current values first. */
export const minDifferentValues = 3;
const pageSize = 100;

/** Returns the assets that already have their values. Sends at most half as many requests as the writes would. */
export async function findPresent(
  desiredItems: readonly DesiredProperties[],
  { assetType, mode }: Pick<PropertyOptions, 'assetType' | 'mode'>,
  { client, requests, signal }: Pick<NodeContext, 'client' | 'requests' | 'signal'>,
): Promise<ReadonlySet<DesiredProperties>> {
  const writes = new Map(desiredItems.map(({ fingerprint, write }) => [fingerprint, write]));
  const [first, ...others] = writes.values();
  const inAll = (id: string) => others.every(({ set }) => set.some(createPropertyTest(id)));
  const common = (first?.set ?? []).map(({ propertyId }) => propertyId).filter(inAll);
  if (writes.size < minDifferentValues || common.length === 0) return new Set();
  const assets = await searchAssets(
    { assetType, properties: common.map((propertyId) => ({ propertyId })) },
    Math.floor(writes.size / 2) * pageSize,
    { client, requests, signal },
  );
  const byId = new Map((assets ?? []).map((asset) => [asset.id, asset]));
  return new Set(
    desiredItems.filter(({ ids, write }) =>
      ids.every((id) => hasValues(byId.get(id), write, mode)),
    ),
  );
}

function hasValues(
  asset: AssetWithValues | undefined,
  { set, unset }: DesiredProperties['write'],
  mode: PropertyOptions['mode'],
): boolean {
  if (asset?.properties === undefined) return false;
  const { properties } = asset;
  const valueOf = (id: string) => properties.find(createPropertyTest(id));
  return (
    set.every((change) => isSameValue(change, valueOf(change.propertyId), mode)) &&
    unset.every((id) => valueOf(id) === undefined)
  );
}

function isSameValue(
  { optionIds, text, number, date, endDate }: PropertyChange,
  value: Value | undefined,
  mode: PropertyOptions['mode'],
): boolean {
  if (value === undefined) return false;
  if (optionIds) {
    const presentOptionIds = new Set(value.optionIds);
    const isComplete = mode === 'ADD' || presentOptionIds.size === new Set(optionIds).size;
    return isComplete && optionIds.every((id) => presentOptionIds.has(id));
  }
  if (typeof date === 'number') return value.date === date && value.endDate === endDate;
  return text === undefined ? value.number === number : value.text === text;
}

function createPropertyTest(id: string): (value: { propertyId?: string | undefined }) => boolean {
  return ({ propertyId }) => propertyId === id;
}
