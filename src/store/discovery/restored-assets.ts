// Finds assets that match their delivery again after a failed run that may have replaced some of their files.

import { mapBounded } from '../objects/map-bounded.ts';
import { encodeKey } from '../objects/object-name.ts';
import { isSameRecipe, isSameVersion } from '../records/records.ts';
import type { RunAsset } from '../runs/run-assets.ts';
import type { DiscoveryContext } from './known-work.ts';
import {
  areFilesDelivered,
  toRedeliveredAsset,
  type UnchangedAsset,
  type VerifyInput,
} from './verify.ts';

type RestoredInput = Pick<VerifyInput, 'records' | 'connectorOf' | 'signal'> &
  Pick<DiscoveryContext, 'claims' | 'claimed'>;

/** Finds the assets whose files must be delivered again. Only assets with a claim cost requests. */
export async function findRestoredAssets(
  unchanged: readonly UnchangedAsset[],
  input: RestoredInput,
): Promise<RunAsset[]> {
  const claimedAssets = unchanged.filter(({ key }) => input.claimed.has(encodeKey(key)));
  const restore = (asset: UnchangedAsset) => restoreAsset(asset, input);
  const restoredAssets = await mapBounded(claimedAssets, restore, { signal: input.signal });
  return restoredAssets.filter((asset) => asset !== null);
}

async function restoreAsset(
  unchanged: UnchangedAsset,
  { claims, records, connectorOf, signal }: RestoredInput,
): Promise<RunAsset | null> {
  const { key, record: entry } = unchanged;
  const claim = await claims.read(key);
  if (claim === null) return null;
  if (isSameVersion(entry, claim.version) && isSameRecipe(entry, claim.recipe)) return null;
  const record = await records.read(entry.name);
  if (record === null) return null;
  const isDelivered = await areFilesDelivered(
    record,
    { connectorOf, signal },
    { files: 0, bytes: 0 },
  );
  return isDelivered ? null : toRedeliveredAsset(unchanged, record);
}
