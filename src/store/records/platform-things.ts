// Platform resources of an asset. Pure.
import { idFields, thingKinds } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetSource } from '../../plan/types.ts';

/** The resources of an asset. A resource that the root took may be of any kind, since only its id is known. */
export function thingsOf({
  source,
  refs = {},
}: {
  source?: AssetSource;
  refs?: Refs;
}): PlatformThing[] {
  return thingKinds.flatMap((kind) =>
    [refs[idFields[kind]], source?.id].flatMap((id) => (id === undefined ? [] : [{ kind, id }])),
  );
}
