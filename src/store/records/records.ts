// Records of finished assets: ledger, delivery manifest and cache. The name of a record says key, version
// and recipe, so that one listing answers what is delivered without reading anything.
import type { PlatformThing } from '../../plan/contract.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetSource, DeliveredFile } from '../../plan/types.ts';
import { mapBounded } from '../objects/bounded.ts';
import { DamagedObjectError, type JsonObjects } from '../objects/json-objects.ts';
import {
  encodeKey,
  parseRecordName,
  type RecordName,
  recipeToken,
  recordName,
  versionToken,
} from '../objects/object-name.ts';
import type { EarlierWork } from './earlier-work.ts';
import { isBuiltOf } from './source-version.ts';

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
  /** What older versions of the source had become, which the run was to delete. */
  superseded?: PlatformThing[];
  /** What the same file has become under other recipes, the latest last. */
  earlier?: EarlierWork[];
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

/** What is delivered, by encoded key. */
export class RecordIndex {
  readonly #entries: ReadonlyMap<string, RecordEntry>;

  constructor(entries: ReadonlyMap<string, RecordEntry>) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): RecordEntry | null {
    return this.#entries.get(encodeKey(key)) ?? null;
  }

  entries(): Iterable<RecordEntry> {
    return this.#entries.values();
  }
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

  /** One listing; reads only where a crash has left two records of one key. */
  async index(signal?: AbortSignal): Promise<RecordIndex> {
    const byKey = new Map<string, { name: string; parsed: RecordName }[]>();
    for (const name of await this.#objects.names(folder, signal)) {
      const parsed = parseRecordName(name);
      if (!parsed) continue;
      const same = byKey.get(parsed.key);
      if (same) same.push({ name, parsed });
      else byKey.set(parsed.key, [{ name, parsed }]);
    }
    const entries = new Map<string, RecordEntry>();
    for (const [key, found] of byKey) {
      const sorted = found.length > 1 ? await this.#newestFirst(found) : found;
      const [newest, ...older] = sorted;
      if (!newest) continue;
      const { name, parsed } = newest;
      entries.set(key, { ...parsed, name, older: older.map((item) => item.name) });
    }
    return new RecordIndex(entries);
  }

  /** Has this version been delivered under this recipe? One look, no read. */
  async has(key: string, version: string, recipe: string): Promise<boolean> {
    return this.#objects.exists(`${folder}/${recordName(key, version, recipe)}`);
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
    const name = recordName(record.key, record.source.version, record.recipe);
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
    const entries = [...(await this.index(signal)).entries()];
    for (let start = 0; start < entries.length; start += 256) {
      const page = entries.slice(start, start + 256);
      yield* await mapBounded(
        page,
        async ({ key, name }) => ({ key, record: await this.read(name) }),
        { atOnce: 32, signal },
      );
    }
  }

  async #newestFirst(found: { name: string; parsed: RecordName }[]) {
    const dated = await mapBounded(found, async (item) => {
      const record = await this.read(item.name);
      return { ...item, at: record?.finishedAt ?? '' };
    });
    return dated.sort((a, b) => (a.at < b.at ? 1 : -1));
  }
}
