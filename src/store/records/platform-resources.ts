import { idFields, resourceKinds } from '../../api/resources.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetSource } from '../../plan/types.ts';

/** One text for each platform resource, for comparing. */
export function resourceId({ kind, id }: PlatformResource): string {
  return `${kind} ${id}`;
}

/** The resources of an asset. An id that the root took is listed under every kind, since its kind is unknown. */
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
