// Records what the zips of a pipeline contain, so that a zip is written again only when its files have changed.
import { computeShortSha256 } from '../../../language/hash.ts';
import type { ZipStatus } from '../../../plan/delivery-manifests.ts';
import { JsonFolder } from '../../objects/json-folder.ts';
import type { JsonObjects } from '../../objects/json-objects.ts';

export interface PublishedZip extends ZipStatus {
  /** The run that last checked the zip. */
  run: string;
  connector: string;
  /** Hash of the paths and contents of the zip's files. */
  digest: string;
  /** Modification time of the zip in its location, epoch ms. Zero if the location reports none. */
  mtimeMs: number;
}

export class PublishedZips {
  readonly #zips: JsonFolder<PublishedZip>;

  constructor(objects: JsonObjects) {
    this.#zips = new JsonFolder(objects, 'zips', 'renderline/published-zip/v1');
  }

  /** @param template path of the zip as the pipeline specifies it */
  async read(connector: string, template: string): Promise<PublishedZip | null> {
    return this.#zips.read(objectNameOf(connector, template));
  }

  async write(template: string, zip: PublishedZip): Promise<void> {
    await this.#zips.write(objectNameOf(zip.connector, template), zip);
  }

  /** Returns the zips that a run was the last to check, ordered by path. */
  async readByRun(run: string): Promise<ZipStatus[]> {
    const zips = (await this.#zips.readAll()).filter((zip) => zip.run === run);
    return zips
      .map(({ path, files, bytes, isNew, absent, altered }) => {
        return { path, files, bytes, isNew, absent, altered };
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function objectNameOf(connector: string, template: string): string {
  return computeShortSha256({ connector, template });
}
