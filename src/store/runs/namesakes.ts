// Finds assets whose keys were assigned to another object with the same name at the same time, because two runs had
// chosen the same new key before one of them claimed it.
import { assetFailures } from '../../failures/assets.ts';
import { isOfOtherObject } from '../claims/claims.ts';
import { encodeKey } from '../objects/object-name.ts';
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

/** Returns the records of other objects that have one of these assets' keys. Lists records by their common prefix. */
export async function recordsOfOthers(
  { records }: Pick<RunStore, 'records'>,
  assets: readonly Pick<RunAsset, 'key' | 'source'>[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, AssetRecord>> {
  const recordsByKey = new Map<string, AssetRecord>();
  if (assets.length === 0) return recordsByKey;
  const byName = new Map(assets.map((asset) => [encodeKey(asset.key), asset]));
  const start = findCommonStart([...byName.keys()]);
  for await (const name of records.names({ signal, start })) {
    const asset = byName.get(keyPartOf(name));
    const record = asset ? await records.read(name) : null;
    if (asset && record && isOfOtherObject({ sourceId: record.source.id }, asset.source.id))
      recordsByKey.set(asset.key, record);
  }
  return recordsByKey;
}

function findCommonStart([first = '', ...others]: readonly string[]): string {
  let { length } = first;
  while (!others.every((name) => name.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, length);
}
