// Small copies of images that failed a check and were not delivered, with marks that show why, for reports.
import { JsonFolder } from '../../objects/json-folder.ts';
import type { JsonObjects } from '../../objects/json-objects.ts';
import { hashOf, runFolder } from '../../objects/object-name.ts';

interface StoredImage {
  key: string;
  /** Path that the image would have had below the destination. */
  path: string;
  /** JPEG in base64. */
  picture: string;
}

/** Maximum number of images of a run, of about 15 kB each. A later image may replace one of another asset. */
export const maxFailedImages = 2_000;

export class FailedImages {
  readonly #images: JsonFolder<StoredImage>;

  constructor(objects: JsonObjects, run: string) {
    const folder = `${runFolder(run)}/failed-images`;
    this.#images = new JsonFolder(objects, folder, 'renderline/failed-image/v1');
  }

  /** Stores an image of an asset. An earlier one is replaced. */
  async write(key: string, { path, picture }: { path: string; picture: Buffer }): Promise<void> {
    await this.#images.write(nameOf(key), { key, path, picture: picture.toString('base64') });
  }

  async read(key: string): Promise<{ path: string; picture: Buffer } | null> {
    const storedImage = await this.#images.read(nameOf(key));
    if (storedImage?.key !== key) return null;
    return { path: storedImage.path, picture: Buffer.from(storedImage.picture, 'base64') };
  }
}

function nameOf(key: string): string {
  return String(Number.parseInt(hashOf(key).slice(0, 8), 16) % maxFailedImages);
}
