// Platform resources of earlier versions of a file that the new version does not use. Pure.

import { thingKinds } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Asset } from '../../plan/types.ts';
import { thingsOfRecord } from './earlier-work.ts';
import { thingsOf } from './platform-things.ts';
import type { AssetRecord } from './records.ts';
import { isBuiltOf } from './source-version.ts';
import { thingId } from './thing-id.ts';

/**
 * Resources that records of earlier versions name, and those that unfinished versions have left.
 * A record with another recipe only gives none, since the file is the same. Neither does a record of an object that was
 * taken from the platform, since we did not create that object.
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
