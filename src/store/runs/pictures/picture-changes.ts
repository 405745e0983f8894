// Small copies of pictures that a run has replaced, for reports, since the original files are overwritten.
import { JsonFolder } from '../../objects/json-folder.ts';
import type { JsonObjects } from '../../objects/json-objects.ts';
import { hashOf, runFolder } from '../../objects/object-name.ts';

interface StoredChange {
  /** sha256 (hex) of the new picture. */
  sha256: string;
  /** sha256 (hex) of the old file, because several exports may deliver to this path on different connectors. */
  replaced: string;
  share: number;
  /** JPEG of the old picture, in base64. */
  before: string;
}

/** A file, by the asset's key and its path below the destination. */
export interface ChangedFile {
  key: string;
  path: string;
}

export type PictureChanges = JsonFolder<StoredChange, ChangedFile>;

export function openPictureChanges(objects: JsonObjects, run: string): PictureChanges {
  const folder = `${runFolder(run)}/changes`;
  return new JsonFolder(objects, folder, 'renderline/picture-change/v1', changedFileName);
}

export function changedFileName({ key, path }: ChangedFile): string {
  return hashOf(JSON.stringify([key, path]));
}
