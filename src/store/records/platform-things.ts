// Things of the platform that an asset has. Pure.
import { idFields, thingKinds } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetSource } from '../../plan/types.ts';

/** What an asset has. What its root took may be of any kind: only the id is kept of it. */
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
