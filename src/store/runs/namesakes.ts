// Finds conflicts of two runs that chose new keys of platform objects before one of them claimed its key: two objects
// of the same name have one key, or one object has two keys, with and without its id.
import { assetFailures } from '../../failures/assets.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { isOfOtherObject } from '../claims/claims.ts';
import { encodeKey } from '../objects/object-name.ts';
import { modelKeyOf } from '../records/cell-keys.ts';
import { type AssetRecord, keyPartOf } from '../records/records.ts';
import type { RunAsset } from './run-assets.ts';
import type { RunStore } from './run-store.ts';

/** Failure of an asset whose key belongs to another object. A rerun assigns the asset its own key. */
export const namesakeCode = assetFailures.KEY_CLASH.code;

export function formatNamesake(key: string, run: string): string {
  return `the run ${run} gave the key "${key}" to another object of the same name at the same time; a rerun of the failed assets assigns this object a separate key`;
}

/** True for a platform object whose key had neither a record nor a claim at discovery. */
export function hasNewKey({ reason, source }: Pick<RunAsset, 'reason' | 'source'>): boolean {
  return reason === 'new' && source.id !== undefined;
}

type KeyedSource = Pick<RunAsset, 'key' | 'source'>;

/** Returns the key that another run may have chosen for the same platform object: with its id, or else without. */
export function otherKeyOf(asset: KeyedSource): string {
  const modelKey = modelKeyOf(asset);
  const suffix = `-${asset.source.id}`;
  const otherModelKey = modelKey.endsWith(suffix)
    ? modelKey.slice(0, -suffix.length)
    : `${modelKey}${suffix}`;
  return `${otherModelKey}${asset.key.slice(modelKey.length)}`;
}

export interface ConflictingRecords {
  /** Records of other objects, by the asset key that they have too. */
  ofOthers: ReadonlyMap<string, AssetRecord>;
  /** Records of the same objects under their other keys, by the asset key that they do not have. */
  underOtherKeys: ReadonlyMap<string, AssetRecord>;
}

/** Returns the records that conflict with new keys of platform objects. Lists records by the common prefix of the keys. */
export async function findConflictingRecords(
  { records }: Pick<RunStore, 'records'>,
  assets: readonly KeyedSource[],
  signal: AbortSignal | undefined,
): Promise<ConflictingRecords> {
  const ofOthers = new Map<string, AssetRecord>();
  const underOtherKeys = new Map<string, AssetRecord>();
  if (assets.length === 0) return { ofOthers, underOtherKeys };
  const byName = new Map(assets.map((asset) => [encodeKey(asset.key), asset]));
  // Objects of one name have the same key without an id.
  const byOtherName = groupBy(assets, (asset) => encodeKey(otherKeyOf(asset)));
  const start = findCommonStart([...byName.keys(), ...byOtherName.keys()]);
  for await (const name of records.names({ signal, start })) {
    const encodedKey = keyPartOf(name);
    const asset = byName.get(encodedKey);
    const others = byOtherName.get(encodedKey) ?? [];
    const record = asset || others.length > 0 ? await records.read(name) : null;
    if (record === null) continue;
    if (asset && isOfOtherObject({ sourceId: record.source.id }, asset.source.id))
      ofOthers.set(asset.key, record);
    for (const { key, source } of others)
      if (source.id === record.source.id) underOtherKeys.set(key, record);
  }
  return { ofOthers, underOtherKeys };
}

function findCommonStart([first = '', ...others]: readonly string[]): string {
  let { length } = first;
  while (!others.every((name) => name.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, length);
}
