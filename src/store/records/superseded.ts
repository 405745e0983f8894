// Things of earlier versions of a file on the platform, which nothing of the new version uses. Pure.

import { thingKinds } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Asset } from '../../plan/types.ts';
import { thingsOfRecord } from './earlier-work.ts';
import { thingsOf } from './platform-things.ts';
import type { AssetRecord } from './records.ts';
import { isBuiltOf } from './source-version.ts';
import { thingId } from './thing-id.ts';

/**
 * Things that records from before an asset's newest version name, and those that unfinished versions have left.
 * A record where only the recipe differs gives none, since the file is the same; nor does one that a pipeline of
 * this name took from the platform, since that is not ours.
 */
export function supersededBy(
  { source, refs }: Pick<Asset, 'source' | 'refs'>,
  before: readonly Pick<AssetRecord, 'source' | 'refs' | 'earlier'>[],
  leftover: readonly PlatformThing[] = [],
): PlatformThing[] {
  const old = before.filter(
    (record) => record.source.id === undefined && !isBuiltOf(record.source.version, source.version),
  );
  const all = [...old.flatMap(thingsOfRecord), ...leftover];
  const each = new Map(all.map((thing) => [thingId(thing), thing]));
  const unused = withoutThings([...each.values()], thingsOf({ refs }));
  return thingKinds.flatMap((kind) => unused.filter((thing) => thing.kind === kind));
}

export function withoutThings(
  things: readonly PlatformThing[],
  others: readonly PlatformThing[],
): PlatformThing[] {
  const ids = new Set(others.map(thingId));
  return things.filter((thing) => !ids.has(thingId(thing)));
}
