// Small copies of pictures that a run has replaced, for reports, since the original files are overwritten.
import type { JsonObjects } from '../../objects/json-objects.ts';
import { encodeKey, hashOf } from '../../objects/object-name.ts';

const schema = 'renderline/picture-change/v1';

interface StoredChange {
  schema: typeof schema;
  /** sha256 (hex) of the new picture. */
  sha256: string;
  /** sha256 (hex) of the old file, because several exports may deliver to this path on different connectors. */
  replaced: string;
  share: number;
  /** JPEG of the old picture, base64. */
  before: string;
}

/** A file, by the asset's key and its path below the destination. */
export interface ChangedFile {
  key: string;
  path: string;
}

export class PictureChanges {
  readonly #objects: JsonObjects;
  readonly #folder: string;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/changes`;
  }

  async write(file: ChangedFile, change: Omit<StoredChange, 'schema'>): Promise<void> {
    await this.#objects.write(this.#pathOf(file), { schema, ...change });
  }

  read(file: ChangedFile): Promise<Omit<StoredChange, 'schema'> | null> {
    return this.#objects.read<StoredChange>(this.#pathOf(file), schema);
  }

  #pathOf({ key, path }: ChangedFile): string {
    return `${this.#folder}/${hashOf(JSON.stringify([key, path]))}.json`;
  }
}
