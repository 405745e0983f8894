// The three kinds of library items, told apart by what they are made of.
import { decalFileTypes } from '../../api/operations/decals.ts';
import { fileTypeOf } from '../../machinery/uploads/upload-names.ts';
import type { AssetSource, Refs } from '../../plan/types.ts';
import { idFields } from '../../store/records/platform-things.ts';

export type LibraryKind = 'prop' | 'decal' | 'material';

/** What a source becomes: a set of textures a material, a picture a decal, all others props. */
export function kindOf({ path, set }: Pick<AssetSource, 'path' | 'set'>): LibraryKind {
  if (set !== undefined) return 'material';
  return isDecalFile(path) ? 'decal' : 'prop';
}

export function isDecalFile(path: string): boolean {
  const types: readonly string[] = decalFileTypes;
  return types.includes(fileTypeOf(path) ?? '');
}

/** The item that an asset has become; undefined before it has. */
export function itemIdOf(source: AssetSource, refs: Refs): string | undefined {
  return refs[idFields[kindOf(source)]];
}
