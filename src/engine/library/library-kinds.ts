// The three kinds of library items, told apart by what they are made of.
import { decalFileTypes } from '../../api/operations/decals.ts';
import type { AssetSource, Refs } from '../../plan/types.ts';
import { fileTypeOf } from '../uploads/upload-names.ts';

export type LibraryKind = 'prop' | 'decal' | 'material';

/** Where the id of an item stands among an asset's refs. */
export const itemIdFields = {
  prop: 'propId',
  decal: 'decalId',
  material: 'materialId',
} as const satisfies Record<LibraryKind, keyof Refs>;

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
  return refs[itemIdFields[kindOf(source)]];
}
