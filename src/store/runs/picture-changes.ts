// Small copies of pictures that a run has replaced, for reports: what they showed is gone from where they were.
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, hashOf } from '../objects/object-name.ts';

const schema = 'renderline/picture-change/v1';

interface KeptChange {
  schema: typeof schema;
  /** Of the new picture, hex. */
  sha256: string;
  share: number;
  /** JPEG of the picture before, as base64. */
  before: string;
}

/** Of which file, below its destination, of which asset. */
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

  async keep(file: ChangedFile, change: Omit<KeptChange, 'schema'>): Promise<void> {
    await this.#objects.write(this.#pathOf(file), { schema, ...change });
  }

  /** null where nothing was kept of it. */
  read(file: ChangedFile): Promise<Omit<KeptChange, 'schema'> | null> {
    return this.#objects.read<KeptChange>(this.#pathOf(file), schema);
  }

  #pathOf({ key, path }: ChangedFile): string {
    return `${this.#folder}/${hashOf(JSON.stringify([key, path]))}.json`;
  }
}
