// What earlier versions of a file had become on the platform, which nothing of the new version uses. Pure.
import type { PlatformThing } from '../plan/contract.ts';
import type { Asset } from '../plan/types.ts';
import { idFields, thingId, thingKinds } from './platform-things.ts';
import type { AssetRecord } from './records.ts';
import { isSameSource } from './source-version.ts';

/**
 * What records from before an asset's newest version name. Nothing where only the recipe differs, since the
 * file is the same; nor what a pipeline of this name took from the platform, since it is not ours.
 */
export function supersededBy(
  { source, refs }: Pick<Asset, 'source' | 'refs'>,
  before: readonly Pick<AssetRecord, 'source' | 'refs'>[],
): PlatformThing[] {
  const old = before.filter(
    (record) =>
      record.source.id === undefined && !isSameSource(record.source.version, source.version),
  );
  return thingKinds.flatMap((kind) => {
    const ids = new Set(old.map((record) => record.refs[idFields[kind]]));
    return [...ids].flatMap((id) =>
      id === undefined || id === refs[idFields[kind]] ? [] : [{ kind, id }],
    );
  });
}

export function withoutThings(
  things: readonly PlatformThing[],
  others: readonly PlatformThing[],
): PlatformThing[] {
  const ids = new Set(others.map(thingId));
  return things.filter((thing) => !ids.has(thingId(thing)));
}
