// Records of finished assets: ledger, delivery manifest and cache. The name of a record says key, version
// and recipe, so that one listing answers what is delivered without reading anything.
import { eachChunk } from '../../plan/chunks.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { MadeAt } from '../../plan/freshness.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetSource, DeliveredFile } from '../../plan/types.ts';
import { mapBounded } from '../objects/bounded.ts';
import { DamagedObjectError, type JsonObjects } from '../objects/json-objects.ts';
import { NameTable } from '../objects/name-table.ts';
import {
  encodeKey,
  parseRecordName,
  type RecordName,
  recipeToken,
  recordName,
  versionToken,
} from '../objects/object-name.ts';
import type { EarlierWork } from './earlier-work.ts';
import type { MovedFrom } from './moved-from.ts';
import { isBuiltOf } from './source-version.ts';
import { nameInState, type Withdrawn } from './withdrawn.ts';

const folder = 'records';
const schema = 'renderline/asset/v1';

export interface AssetRecord {
  schema: typeof schema;
  key: string;
  source: AssetSource;
  /** Hash of the source's content (hex), where it was seen going by. */
  sourceSha256?: string;
  recipe: string;
  refs: Refs;
  files: DeliveredFile[];
  /** Things of older versions of the source, which the run was to delete. */
  superseded?: PlatformThing[];
  /** Work on the same file under other recipes, the latest last. */
  earlier?: EarlierWork[];
  /** Set by the run that took the work over from another key. */
  moved?: MovedFrom;
  /** When its stages were done that are older than it is itself. */
  made?: MadeAt;
  /** Its source is gone, and so are its files; absent of delivered assets. */
  withdrawn?: Withdrawn;
  run: string;
  lineage: string;
  /** ISO 8601. */
  finishedAt: string;
}

/** The record of a key, as a listing shows it. */
export interface RecordEntry extends RecordName {
  name: string;
  /** Names of older records of the key that a crash has left behind. */
  older: string[];
}

/** Delivered assets, in some fifty bytes each: a large pipeline has a million. */
export class RecordIndex {
  readonly #names = new NameTable(keyPart);
  /** Names of keys with several records, the newest first; absent until they are told apart. */
  readonly #several = new Map<string, string[]>();

  /** Asks which of several records of a key, left behind by a crash, is the newest. */
  static async of(
    names: AsyncIterable<string>,
    newestFirst: (names: readonly string[]) => Promise<string[]>,
  ): Promise<RecordIndex> {
    const index = new RecordIndex();
    for await (const name of names) index.#add(name);
    for (const [key, same] of index.#several) index.#several.set(key, await newestFirst(same));
    return index;
  }

  /** Records, some of which may be of one key. */
  get size(): number {
    return this.#names.size;
  }

  get(key: string): RecordEntry | null {
    const encoded = encodeKey(key);
    const name = this.#names.find(encoded);
    return name === null ? null : this.#entryOf(encoded, name);
  }

  *entries(): Generator<RecordEntry> {
    for (const name of this.#names.names()) {
      const key = keyPart(name);
      const entry = this.#entryOf(key, name);
      const isFirst = !this.#several.has(key) || this.#names.find(key) === name;
      if (entry && isFirst) yield entry;
    }
  }

  #add(name: string): void {
    if (parseRecordName(name) === null) return;
    const key = keyPart(name);
    const first = this.#names.find(key);
    this.#names.add(name);
    if (first !== null) this.#several.set(key, [...(this.#several.get(key) ?? [first]), name]);
  }

  #entryOf(key: string, first: string): RecordEntry | null {
    const [name = first, ...older] = this.#several.get(key) ?? [];
    const parsed = parseRecordName(name);
    return parsed && { ...parsed, name, older };
  }
}

function keyPart(name: string): string {
  return name.slice(0, name.indexOf('@'));
}

export function isSameVersion(entry: RecordName, version: string): boolean {
  return isBuiltOf(entry.version, versionToken(version));
}

export function isSameRecipe(entry: RecordName, recipe: string): boolean {
  return entry.recipe === recipeToken(recipe);
}

export class Records {
  readonly #objects: JsonObjects;

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  /** Lists once; reads only where a crash has left two records of one key. */
  async index(signal?: AbortSignal): Promise<RecordIndex> {
    const names = this.#objects.eachName(folder, signal);
    return RecordIndex.of(names, (same) => this.#newestFirst(same));
  }

  /** Has this version been delivered under this recipe? One look, no read. */
  async has(key: string, version: string, recipe: string): Promise<boolean> {
    return this.isThere(recordName(key, version, recipe));
  }

  /** True for the name of a record that stands. */
  async isThere(name: string): Promise<boolean> {
    return this.#objects.exists(`${folder}/${name}`);
  }

  /** By the name that a listing gave, or by what it is made of; null when absent or damaged. */
  async read(name: string): Promise<AssetRecord | null> {
    try {
      return await this.#objects.read<AssetRecord>(`${folder}/${name}`, schema);
    } catch (error) {
      // A record cut short proves nothing: the asset counts as not delivered.
      if (error instanceof DamagedObjectError) return null;
      throw error;
    }
  }

  /** The newest record of a key, by a listing; for a person who asks about one key. */
  async find(key: string): Promise<AssetRecord | null> {
    const entry = (await this.index()).get(key);
    return entry ? this.read(entry.name) : null;
  }

  /**
   * Writes a record, then removes the key's older ones (names as listed): a crash in between leaves two,
   * never none.
   */
  async write(record: Omit<AssetRecord, 'schema'>, older: readonly string[] = []): Promise<string> {
    const plain = recordName(record.key, record.source.version, record.recipe);
    const name = nameInState(plain, record.withdrawn?.state ?? null);
    // Durable: a record that a power cut takes back would pay for the asset again.
    await this.#objects.write(`${folder}/${name}`, { schema, ...record }, { durable: true });
    for (const old of older) if (old !== name) await this.#objects.remove(`${folder}/${old}`);
    return name;
  }

  async remove(name: string): Promise<void> {
    await this.#objects.remove(`${folder}/${name}`);
  }

  /** All records, read in the order of the listing; null for one that is gone again, or cut short. */
  async *all(signal?: AbortSignal): AsyncGenerator<{ key: string; record: AssetRecord | null }> {
    for (const page of eachChunk((await this.index(signal)).entries(), 256)) {
      yield* await mapBounded(
        page,
        async ({ key, name }) => ({ key, record: await this.read(name) }),
        { atOnce: 32, signal },
      );
    }
  }

  async #newestFirst(names: readonly string[]): Promise<string[]> {
    const dated = await mapBounded(names, async (name) => {
      const record = await this.read(name);
      return { name, at: record?.withdrawn?.at ?? record?.finishedAt ?? '' };
    });
    return dated.sort((a, b) => (a.at < b.at ? 1 : -1)).map(({ name }) => name);
  }
}
