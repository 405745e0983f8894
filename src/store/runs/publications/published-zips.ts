// Records what the zips of a pipeline contain, so that a zip is written again only when its files have changed.
import { shortSha256 } from '../../../language/hash.ts';
import type { ZipStatus } from '../../../plan/delivery-manifests.ts';
import type { JsonObjects } from '../../objects/json-objects.ts';

const folder = 'zips';
const schema = 'renderline/published-zip/v1';

export interface PublishedZip extends ZipStatus {
  /** The run that has checked the zip last. */
  run: string;
  connector: string;
  /** Hash of the paths and contents of the zip's files. */
  digest: string;
  /** Modification time of the zip in its location, epoch ms; 0 if the location has no times. */
  mtimeMs: number;
}

type StoredZip = PublishedZip & { schema: typeof schema };

export class PublishedZips {
  readonly #objects: JsonObjects;

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  /** @param template path of the zip as the pipeline names it */
  async read(connector: string, template: string): Promise<PublishedZip | null> {
    return this.#objects.read<StoredZip>(pathOf(connector, template), schema);
  }

  async write(template: string, zip: PublishedZip): Promise<void> {
    await this.#objects.write(pathOf(zip.connector, template), { ...zip, schema });
  }

  /** The zips that a run was the last to check, ordered by path. */
  async ofRun(run: string): Promise<ZipStatus[]> {
    const zips: ZipStatus[] = [];
    for (const zip of await this.#objects.readAll<StoredZip>(folder, schema)) {
      if (zip.run !== run) continue;
      const { path, files, bytes, isNew, absent, altered } = zip;
      zips.push({ path, files, bytes, isNew, absent, altered });
    }
    return zips.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function pathOf(connector: string, template: string): string {
  return `${folder}/${shortSha256({ connector, template }).slice(0, 16)}.json`;
}
