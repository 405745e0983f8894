// Small copies of images that failed a check and were not delivered, with marks that show why, for reports.
import type { JsonObjects } from '../../objects/json-objects.ts';
import { encodeKey, hashOf } from '../../objects/object-name.ts';

const schema = 'renderline/failed-image/v1';

interface StoredImage {
  schema: typeof schema;
  key: string;
  /** Path that the image would have had below the destination. */
  path: string;
  /** JPEG, base64. */
  picture: string;
}

/** Maximum number of images of a run, of about 15 kB each. A later image may replace one of another asset. */
export const maxFailedImages = 2_000;

export class FailedImages {
  readonly #objects: JsonObjects;
  readonly #folder: string;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/failed-images`;
  }

  /** Stores an image of an asset; an earlier one is replaced. */
  async write(key: string, { path, picture }: { path: string; picture: Buffer }): Promise<void> {
    const storedImage = {
      schema,
      key,
      path,
      picture: picture.toString('base64'),
    } satisfies StoredImage;
    await this.#objects.write(this.#pathOf(key), storedImage);
  }

  async read(key: string): Promise<{ path: string; picture: Buffer } | null> {
    const storedImage = await this.#objects.read<StoredImage>(this.#pathOf(key), schema);
    if (storedImage?.key !== key) return null;
    return { path: storedImage.path, picture: Buffer.from(storedImage.picture, 'base64') };
  }

  #pathOf(key: string): string {
    return `${this.#folder}/${Number.parseInt(hashOf(key).slice(0, 8), 16) % maxFailedImages}.json`;
  }
}
