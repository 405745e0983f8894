import { idFields, resourceKinds } from '../../api/resources.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { Asset } from '../../plan/types.ts';

/** Returns a string that identifies a platform resource, for comparisons. */
export function resourceId({ kind, id }: PlatformResource): string {
  return `${kind} ${id}`;
}

/** Returns an asset's resources. An id that the root took appears under every kind, because its kind is unknown. */
export function resourcesOf(
  asset: Partial<Pick<Asset, 'source' | 'platformIds'>>,
): PlatformResource[] {
  const { source, platformIds = {} } = asset;
  return resourceKinds.flatMap((kind) =>
    [platformIds[idFields[kind]], source?.id].flatMap((id) =>
      id === undefined ? [] : [{ kind, id }],
    ),
  );
}
