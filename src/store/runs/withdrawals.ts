// The names of the records that a run withdraws, because discovery found their sources missing.

import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey } from '../objects/object-name.ts';
import { writeParts } from '../objects/split-by-bytes.ts';

const schema = 'renderline/withdrawals/v1';

interface Page {
  schema: typeof schema;
  records: string[];
}

export class Withdrawals {
  readonly #objects: JsonObjects;
  readonly #folder: string;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/withdrawals`;
  }

  /** Stores the names, in place of all earlier ones. Safe to repeat. */
  async write(records: readonly string[]): Promise<void> {
    const pages = await writeParts(records, (part, number) => {
      const value: Page = { schema, records: part };
      return this.#objects.write(`${this.#folder}/${String(number).padStart(4, '0')}.json`, value);
    });
    // A discovery that found more records may have died before it wrote its manifest.
    for (const name of await this.#objects.names(this.#folder)) {
      if (Number.parseInt(name, 10) >= pages) await this.#objects.remove(`${this.#folder}/${name}`);
    }
  }

  async read(): Promise<string[]> {
    const pages = await this.#objects.readAll<Page>(this.#folder, schema);
    return pages.flatMap(({ records }) => records);
  }
}
