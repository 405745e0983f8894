// File names and types for uploads. Pure.
import type { Asset } from '../../plan/types.ts';

/** Lowercase extension without the dot, as the platform requires; null if the path has no valid one. */
export function fileTypeOf(path: string): string | null {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? null;
}

/**
 * A file name per asset, unique within the request, because a response shows failed items only by leaving out their
 * names. Folders become part of the name.
 */
export function assignUploadNames(assets: readonly Asset[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { key, source } of assets) {
    const flat = source.path.replaceAll('/', '_');
    const [extension = ''] = /\.[^.]*$/.exec(flat) ?? [];
    const stem = flat.slice(0, flat.length - extension.length);
    let name = flat;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) {
      name = `${stem}-${count}${extension}`;
    }
    taken.add(name.toLowerCase());
    names.set(key, name);
  }
  return names;
}
