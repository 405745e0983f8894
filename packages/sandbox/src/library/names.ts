// Derives names of library items from file names.
import { nameOfFile } from '../models/create-model.ts';

/** `props/oak_side-table%20v2.glb` → `oak side table v2`: without folder and extension, separators become spaces. */
export function cleanName(fileName: string): string {
  return nameOfFile(fileName)
    .replace(/%20|[_+.\-\s]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** The lower-case extension of a file name, or undefined. */
export function extensionOf(fileName: string): string | undefined {
  return /[^/\\]\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase();
}
