// File names and types for uploads. Pure.
import { type TakenNames, takeFreePath } from '../../language/naming/free-name.ts';
import type { Asset } from '../../plan/types.ts';

/** Returns the lowercase extension without the dot, as the platform requires, or null if the path has no valid one. */
export function findFileType(path: string): string | null {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? null;
}

/**
 * Assigns a file name to each asset, unique within the request, because a response shows failed items only by omitting
 * their names. Folders become part of the name.
 */
export function assignUploadNames(assets: readonly Asset[]): Map<string, string> {
  const takenNames: TakenNames = new Map();
  const names = assets.map(
    ({ key, source }) => [key, takeFreePath(source.path.replaceAll('/', '_'), takenNames)] as const,
  );
  return new Map(names);
}
