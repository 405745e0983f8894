// Records of finished assets. A name contains the key, version and recipe, so that a listing shows what is delivered.

import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { StageTimes } from '../../plan/freshness.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetSource, DeliveredFile } from '../../plan/types.ts';
import { ignoreDamage, type JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { NameTable } from '../objects/name-table.ts';
import {
  encodeKey,
  encodeKeyStart,
  parseRecordName,
  type RecordName,
  recipeTokenOf,
  recordName,
  versionTokenOf,
} from '../objects/object-name.ts';
import { createCellKey } from './cell-keys.ts';
import type { EarlierWork } from './earlier-work.ts';
import { canReuseWork } from './source-version.ts';
import { nameInState, type Withdrawal } from './withdrawal-state.ts';

const folder = 'records';
const schema = 'renderline/asset/v1';

/** The record that a source had under its previous key, before it was moved or renamed. */
export interface MovedFrom {
  key: string;
  /** Name of the previous record, which is deleted once the record under the new key is written. */
  record: string;
  /** True if nothing is delivered under the previous key any longer. */
  isKeyUnused: boolean;
}

export interface AssetRecord {
  schema: typeof schema;
  key: string;
  source: AssetSource;
  /** sha256 (hex) of the source's content, if the source was read. */
  sourceSha256?: string;
  recipe: string;
  platformIds: PlatformIds;
  files: DeliveredFile[];
  /** Resources of older versions of the source, which the run was to delete. */
  superseded?: PlatformResource[];
  /** Work on the same file under other recipes, the latest last. */
  earlier?: EarlierWork[];
  /** Set by the run that took the work over from another key. */
  moved?: MovedFrom;
  /** Times of the stages that were done before this record's run. */
  made?: StageTimes;
  /** Set if the source is missing and the files were withdrawn. Absent for delivered assets. */
  withdrawn?: Withdrawal;
  run: string;
  lineage: string;
  /** Time in ISO 8601 format. */
  finishedAt: string;
}

/** The record of a key as a listing shows it. */
export interface RecordEntry extends RecordName {
  name: string;
  /** Names of older records of the key, which a crash has left. */
  older: string[];
}

/** Index of records, in about fifty bytes each, because a large pipeline has a million assets. */
export class RecordIndex {
  readonly #names = new NameTable(keyPartOf);
  /** Names of the records of each key that has several. After sorting, newest first. */
  readonly #several = new Map<string, string[]>();

  static async of(
    names: AsyncIterable<string>,
    newestFirst: (names: readonly string[]) => Promise<string[]>,
  ): Promise<RecordIndex> {
    const index = new RecordIndex();
    for await (const name of names) index.#add(name);
    for (const [key, recordNames] of index.#several)
      index.#several.set(key, await newestFirst(recordNames));
    return index;
  }

  get(key: string): RecordEntry | null {
    const encoded = encodeKey(key);
    const name = this.#names.find(encoded);
    return name === null ? null : this.#entryOf(encoded, name);
  }

  *entries(): Generator<RecordEntry> {
    for (const name of this.#names.names()) {
      const key = keyPartOf(name);
      const entry = this.#entryOf(key, name);
      const isFirst = !this.#several.has(key) || this.#names.find(key) === name;
      if (entry && isFirst) yield entry;
    }
  }

  #add(name: string): void {
    if (parseRecordName(name) === null) return;
    const key = keyPartOf(name);
    const first = this.#names.find(key);
    this.#names.add(name);
    if (first !== null) this.#several.set(key, [...(this.#several.get(key) ?? [first]), name]);
  }

  #entryOf(key: string, first: string): RecordEntry | null {
    const [name = first, ...older] = this.#several.get(key) ?? [];
    const nameParts = parseRecordName(name);
    return nameParts && { ...nameParts, name, older };
  }
}

/** Returns the encoded key in the name of a record. */
export function keyPartOf(name: string): string {
  return name.slice(0, name.indexOf('@'));
}

export function isSameVersion(entry: RecordName, version: string): boolean {
  return canReuseWork(entry.version, versionTokenOf(version));
}

export function isSameRecipe(entry: RecordName, recipe: string): boolean {
  return entry.recipe === recipeTokenOf(recipe);
}

export interface NamesOfKey {
  /** Encoded key. */
  key: string;
  names: string[];
}

export class Records {
  readonly #objects: JsonObjects;

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  /** Lists once. Reads records only if a crash has left two records of one key. */
  async index(signal?: AbortSignal): Promise<RecordIndex> {
    const names = this.#objects.eachName(folder, signal);
    return RecordIndex.of(names, (recordNames) => this.#newestFirst(recordNames));
  }

  /** Checks for a record without reading it. */
  async exists(name: string): Promise<boolean> {
    return this.#objects.exists(`${folder}/${name}`);
  }

  /** Yields the names of records in the order of their bytes, key by key. @param start only names that start with it */
  async *names({
    signal,
    start = '',
  }: {
    signal?: AbortSignal | undefined;
    start?: string;
  } = {}): AsyncGenerator<string> {
    for await (const name of this.#objects.eachName(folder, signal, start)) {
      if (!name.startsWith(start)) return;
      if (parseRecordName(name) !== null) yield name;
    }
  }

  /** Returns the newest record of each cell of a model, in any state. */
  async cellsOf(model: string): Promise<AssetRecord[]> {
    const names: string[] = [];
    const start = encodeKeyStart(createCellKey(model, ''));
    for await (const name of this.names({ start })) names.push(name);
    const ofCells = [...groupBy(names, keyPartOf).values()];
    const newestRecords = await mapBounded(ofCells, (recordNames) => this.readNewest(recordNames));
    return newestRecords.flatMap((record) =>
      record?.source.cell?.group === model ? [record] : [],
    );
  }

  /** Returns the newest of the records that can be read, or null if there is none. */
  async readNewest(names: readonly string[]): Promise<AssetRecord | null> {
    const records = await mapBounded(names, (name) => this.read(name));
    return records.reduce((a, b) => (a && b && dateOf(a) > dateOf(b) ? a : (b ?? a)), null);
  }

  /** Reads a record by its name. Returns null if it is missing or damaged. */
  read(name: string): Promise<AssetRecord | null> {
    // A truncated record proves nothing, so the asset counts as not delivered.
    return this.#objects.read<AssetRecord>(`${folder}/${name}`, schema).catch(ignoreDamage);
  }

  /** Returns the newest record of a key, whatever its state, or null if there is none. */
  async find(key: string): Promise<AssetRecord | null> {
    const names: string[] = [];
    for await (const name of this.names({ start: `${encodeKey(key)}@` })) names.push(name);
    return this.readNewest(names);
  }

  /** Writes a record, then removes the key's older ones, so that a crash in between leaves two rather than none. */
  async write(record: Omit<AssetRecord, 'schema'>, older: readonly string[] = []): Promise<string> {
    const plain = recordName(record.key, record.source.version, record.recipe);
    const name = nameInState(plain, record.withdrawn?.state ?? null);
    await this.#objects.write(`${folder}/${name}`, { schema, ...record });
    for (const old of older) if (old !== name) await this.#objects.remove(`${folder}/${old}`);
    return name;
  }

  async remove(name: string): Promise<void> {
    await this.#objects.remove(`${folder}/${name}`);
  }

  /** Yields the names of the records of each key, key by key. There are several after a crash. */
  async *namesByKey(signal?: AbortSignal): AsyncGenerator<NamesOfKey> {
    let names: string[] = [];
    for await (const name of this.names({ signal })) {
      const [first] = names;
      if (first !== undefined && keyPartOf(first) !== keyPartOf(name)) {
        yield { key: keyPartOf(first), names };
        names = [];
      }
      names.push(name);
    }
    const [last] = names;
    if (last !== undefined) yield { key: keyPartOf(last), names };
  }

  /**
   * Yields the newest record of each key, key by key, so that the cells of a model follow each other. Null if it was
   * just deleted or is damaged.
   */
  async *all(signal?: AbortSignal): AsyncGenerator<{ key: string; record: AssetRecord | null }> {
    const read = async ({ key, names }: NamesOfKey) => ({
      key,
      record: await this.readNewest(names),
    });
    let page: NamesOfKey[] = [];
    const readPage = () => mapBounded(page, read, { maxConcurrent: 32, signal });
    for await (const entry of this.namesByKey(signal)) {
      page.push(entry);
      if (page.length < 256) continue;
      yield* await readPage();
      page = [];
    }
    yield* await readPage();
  }

  async #newestFirst(names: readonly string[]): Promise<string[]> {
    const dated = await mapBounded(names, async (name) => {
      const record = await this.read(name);
      return { name, at: record ? dateOf(record) : '' };
    });
    return dated.sort((a, b) => (a.at < b.at ? 1 : -1)).map(({ name }) => name);
  }
}

function dateOf({ withdrawn, finishedAt }: AssetRecord): string {
  return withdrawn?.at ?? finishedAt;
}
