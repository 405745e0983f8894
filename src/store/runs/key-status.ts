// The current status of a few asset keys, for people who ask about them.
import type { Claim } from '../claims/claims.ts';
import { recordName } from '../objects/object-name.ts';
import type { AssetRecord, RecordIndex } from '../records/records.ts';
import type { RunStore } from './run-store.ts';

export interface KeyStatus {
  /** The record of the asset, delivered or withdrawn. Null if there is none. */
  record: AssetRecord | null;
  /** The claim of the run that works, or last worked, on the asset. Null if there is none. */
  claim: Claim | null;
}

export class KeyStatusReader {
  readonly #store: RunStore;
  #index: Promise<RecordIndex> | null = null;
  #recipe: Promise<string> | null = null;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** @param version version of the source that was seen, which locates the record without a listing */
  async read(key: string, version: string | null): Promise<KeyStatus> {
    const [record, claim] = await Promise.all([
      this.#record(key, version),
      this.#store.claims.read(key),
    ]);
    return { record, claim };
  }

  async #record(key: string, version: string | null): Promise<AssetRecord | null> {
    const { records } = this.#store;
    if (version !== null) {
      this.#recipe ??= this.#store.lastRun().then((last) => last?.recipe ?? '');
      const record = await records.read(recordName(key, version, await this.#recipe));
      if (record) return record;
    }
    this.#index ??= records.index();
    const entry = (await this.#index).get(key);
    return entry ? records.read(entry.name) : null;
  }
}
