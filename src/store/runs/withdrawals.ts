// The names of the records that a run withdraws, because discovery found their sources missing.

import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey } from '../objects/object-name.ts';
import { splitByBytes } from '../objects/split-by-bytes.ts';

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

  /** Safe to repeat. */
  async write(records: readonly string[]): Promise<void> {
    let page = 0;
    for (const { items } of splitByBytes(records)) {
      const value: Page = { schema, records: items };
      await this.#objects.write(`${this.#folder}/${String(page).padStart(4, '0')}.json`, value);
      page += 1;
    }
  }

  async read(): Promise<string[]> {
    const pages = await this.#objects.readAll<Page>(this.#folder, schema);
    return pages.flatMap(({ records }) => records);
  }
}
