// How a run's assets ended: one page for each finalized part of a shard.
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { iterateChunks } from '../../plan/helpers/chunks.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import { hasSchema, type JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { numberName, runFolder } from '../objects/object-name.ts';
import { writeParts } from '../objects/split-by-bytes.ts';

/** Shards that are read concurrently. Read one by one, four hundred shards in a bucket take half a minute. */
const maxConcurrentShards = 8;
/** Number of results that are sorted, and thus held in memory, at a time. */
const maxSortedKeys = 10_000;
const pageSchema = 'renderline/results/v1';

interface ResultsPage {
  run: string;
  shard: number;
  part: number;
  /** Time of writing, epoch ms. Orders the pages: after a reset of the workflow, a lower part may be newer. */
  atMs: number;
  finalized: FinalizedAsset[];
}

export class Results {
  readonly #objects: JsonObjects;
  readonly #now: () => number;

  constructor(objects: JsonObjects, now: () => number) {
    this.#objects = objects;
    this.#now = now;
  }

  /** Writes the results of a part. A repeated call replaces them. */
  async write(run: string, shard: number, part: number, assets: FinalizedAsset[]): Promise<void> {
    const atMs = this.#now();
    await writeParts(assets, (finalized, piece) => {
      const numbers = piece === 0 ? [shard, part] : [shard, part, piece];
      const name = numbers.map((number) => numberName(number, 5)).join('-');
      return this.#pagesOf(run).write(name, { run, shard, part, atMs, finalized });
    });
  }

  /** Yields all results in shard order. An asset that was finalized twice appears once, with its last result. */
  async *read(run: string): AsyncGenerator<FinalizedAsset> {
    yield* (await this.list(run)).inShardOrder();
  }

  /** Lists the results so far, so that they can be read several times. */
  async list(run: string): Promise<ListedResults> {
    return new ListedResults(await this.parts(run), (parts) => this.readShard(run, parts));
  }

  /** Returns the names of the pages of each shard so far, from one listing, in the order of shards. */
  async parts(run: string): Promise<Map<number, string[]>> {
    const names = await this.#pagesOf(run).names();
    return groupBy(names.sort(), (name) => Number.parseInt(name, 10));
  }

  async readShard(run: string, parts: readonly string[]): Promise<Map<string, FinalizedAsset>> {
    const folder = this.#pagesOf(run);
    const read = (part: string) => folder.read(part);
    const pages = (await mapBounded(parts, read)).flatMap((page) => page ?? []);
    const assets = new Map<string, FinalizedAsset>();
    for (const { finalized } of pages.sort((a, b) => a.atMs - b.atMs)) {
      for (const asset of finalized) assets.set(asset.key, asset);
    }
    return assets;
  }

  #pagesOf(run: string): JsonFolder<ResultsPage> {
    return new JsonFolder(this.#objects, `${runFolder(run)}/results`, pageSchema);
  }
}

type ReadShard = (parts: readonly string[]) => Promise<Map<string, FinalizedAsset>>;

/** Results of a run as of one listing. They are read on each iteration, because a run may have 100,000 of them. */
export class ListedResults {
  readonly #shards: { parts: readonly string[]; keys: readonly string[] }[];
  readonly #readParts: ReadShard;

  constructor(partsByShard: ReadonlyMap<number, readonly string[]>, readParts: ReadShard) {
    this.#shards = [...partsByShard.values()].map((parts) => ({ parts, keys: [] }));
    this.#readParts = readParts;
  }

  async *inShardOrder(): AsyncGenerator<FinalizedAsset> {
    for (const shards of iterateChunks(this.#shards, maxConcurrentShards)) {
      const read = async (shard: (typeof shards)[number]) => {
        const assets = await this.#readParts(shard.parts);
        shard.keys = [...assets.keys()];
        return assets;
      };
      for (const assets of await mapBounded(shards, read)) yield* assets.values();
    }
  }

  /**
   * Yields the results by key, of the shards that `inShardOrder` has read. Sorts a range of keys at a time, and reads
   * the shards that contain some of them.
   */
  async *inKeyOrder(): AsyncGenerator<FinalizedAsset> {
    const keys = [...new Set(this.#shards.flatMap((shard) => shard.keys))].sort();
    for (const range of iterateChunks(keys, maxSortedKeys)) {
      const rangeKeys = new Set(range);
      const shards = this.#shards.filter((shard) => shard.keys.some((key) => rangeKeys.has(key)));
      const read = async ({ parts }: (typeof shards)[number]) =>
        [...(await this.#readParts(parts)).values()].filter(({ key }) => rangeKeys.has(key));
      const assets = (
        await mapBounded(shards, read, { maxConcurrent: maxConcurrentShards })
      ).flat();
      yield* assets.sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
    }
  }
}

export function isResultsPage(value: unknown): value is ResultsPage {
  return hasSchema(value, pageSchema);
}
