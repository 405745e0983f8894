// The three kinds of library items, told apart by what they are made of.
import { decalFileTypes } from '../../api/operations/decals.ts';
import { idFields } from '../../api/things.ts';
import { fileTypeOf } from '../../machinery/uploads/upload-names.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetSource } from '../../plan/types.ts';

export const libraryKinds = ['prop', 'decal', 'material'] as const;
export type LibraryKind = (typeof libraryKinds)[number];

/** What a source becomes: a set of textures a material, a picture a decal, all others props. */
export function kindOf({ path, set }: Pick<AssetSource, 'path' | 'set'>): LibraryKind {
  if (set !== undefined) return 'material';
  return decalTypeOf(path) ? 'decal' : 'prop';
}

/** The type of a file that can be a decal; undefined for all others. */
export function decalTypeOf(path: string): (typeof decalFileTypes)[number] | undefined {
  const type = fileTypeOf(path);
  return decalFileTypes.find((one) => one === type);
}

/** The item that an asset has become; undefined before it has. */
export function itemIdOf(source: AssetSource, refs: Refs): string | undefined {
  return refs[idFields[kindOf(source)]];
}
