// The names of the records that a run withdraws, because discovery found their sources missing.

import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { numberName, runFolder } from '../objects/object-name.ts';
import { writeParts } from '../objects/split-by-bytes.ts';

export class Withdrawals {
  readonly #pages: JsonFolder<{ records: string[] }>;

  constructor(objects: JsonObjects, run: string) {
    const folder = `${runFolder(run)}/withdrawals`;
    this.#pages = new JsonFolder(objects, folder, 'renderline/withdrawals/v1');
  }

  /** Stores the names, in place of all earlier ones. Safe to repeat. */
  async write(records: readonly string[]): Promise<void> {
    const pages = await writeParts(records, (part, number) =>
      this.#pages.write(numberName(number, 4), { records: part }),
    );
    // A discovery that found more records may have died before it wrote its run assets.
    for (const name of await this.#pages.names()) {
      if (Number.parseInt(name, 10) >= pages) await this.#pages.remove(name);
    }
  }

  async read(): Promise<string[]> {
    const pages = await this.#pages.readAll();
    return pages.flatMap(({ records }) => records);
  }
}
