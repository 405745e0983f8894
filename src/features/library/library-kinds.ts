// The three kinds of library items, determined by the source file.
import { decalFileTypes } from '../../api/operations/decals.ts';
import { idFields } from '../../api/resources.ts';
import { findFileType } from '../../engine/uploads/upload-names.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetSource } from '../../plan/types.ts';

export const libraryKinds = ['prop', 'decal', 'material'] as const;
export type LibraryKind = (typeof libraryKinds)[number];

/** A set of textures becomes a material, a picture becomes a decal, and any other source becomes a prop. */
export function kindOf({ path, set }: Pick<AssetSource, 'path' | 'set'>): LibraryKind {
  if (set !== undefined) return 'material';
  return findDecalType(path) ? 'decal' : 'prop';
}

export function findDecalType(path: string): (typeof decalFileTypes)[number] | undefined {
  const type = findFileType(path);
  return decalFileTypes.find((fileType) => fileType === type);
}

/** Returns the id of the asset's library item, or undefined before the item is created. */
export function findItemId(source: AssetSource, platformIds: PlatformIds): string | undefined {
  return platformIds[idFields[kindOf(source)]];
}
