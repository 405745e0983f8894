// Progress pages of a discovery that compares content, each for some hundred assets in the order of their keys.

import type { VerifiedCounts } from '../../plan/contract/verified-counts.ts';
import type { Failure } from '../../plan/types.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey } from '../objects/object-name.ts';
import type { RunAsset } from './run-assets.ts';

const schema = 'renderline/verified/v1';

export interface VerifyResult {
  /** Assets that differ and must be done again. */
  assets: RunAsset[];
  /** Assets that could not be read. */
  refused: Failure[];
  counts: VerifiedCounts;
}

export interface VerifyPage {
  /** Key of the last asset of the page. */
  last: string;
  result: VerifyResult;
}

interface StoredPage extends VerifyPage {
  schema: typeof schema;
}

export class VerifyPages {
  readonly #objects: JsonObjects;
  readonly #folder: string;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/verified`;
  }

  read(): Promise<VerifyPage[]> {
    return this.#objects.readAll<StoredPage>(this.#folder, schema);
  }

  /** Writes a page; an earlier page with the same number is replaced. */
  async write(number: number, page: VerifyPage): Promise<void> {
    const name = `${String(number).padStart(6, '0')}.json`;
    const storedPage: StoredPage = { schema, ...page };
    await this.#objects.write(`${this.#folder}/${name}`, storedPage);
  }
}
