// Platform resources of an asset. Pure.
import { idFields, resourceKinds } from '../../api/resources.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetSource } from '../../plan/types.ts';

/** The resources of an asset. A resource that the root took may be of any kind, since only its id is known. */
export function resourcesOf({
  source,
  platformIds = {},
}: {
  source?: AssetSource;
  platformIds?: PlatformIds;
}): PlatformResource[] {
  return resourceKinds.flatMap((kind) =>
    [platformIds[idFields[kind]], source?.id].flatMap((id) =>
      id === undefined ? [] : [{ kind, id }],
    ),
  );
}
