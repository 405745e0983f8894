// Finds the runs of a pipeline, and their assets, that have a given platform id.
//
// Results pages contain the ids of a few hundred assets each, so they are read first. Calls, dozens for each page
// of assets, are first read only for open runs and shards with the id. The others follow if no creator was found.
import { parseJson } from '../../api/responses/bounded-json.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { parseIntent } from '../calls/intents.ts';
import { JsonObjects } from '../objects/json-objects.ts';
import { pipelineSlugOf } from '../objects/object-name.ts';
import { isResultsPage } from '../runs/results.ts';
import { isRunAssetsPage, type RunAsset } from '../runs/run-assets.ts';
import { type RunFolder, readRunFolders, type ShardObject } from '../runs/run-folders.ts';
import {
  findAssetSighting,
  findIntentSightings,
  hasCreatedKind,
  type Sighting,
} from './id-sightings.ts';
import { createIdMatcher, createIdSearch } from './id-spelling.ts';
import { TextReader } from './text-reader.ts';

/** Maximum number of concurrent reads. Most of the time of a small read is latency, so many run concurrently. */
const maxConcurrentReads = 32;
/** Maximum number of assets that are listed for a run, because the id of a template may belong to all of them. */
const maxReportedAssets = 100;

export interface IdSearchInput {
  connector: Connector;
  pipeline: string;
  id: string;
  /** True if the run is open. The ids that it created may be in its calls only. */
  isOpen: (run: string) => boolean;
  signal: AbortSignal;
  onProgress: (read: number) => void;
}

export interface AssetSighting extends Sighting {
  shard: number;
  /** Step whose call has the id. Null if unknown. */
  step: string | null;
  /** Result of the asset in this run. Null before it has one. */
  finalized: FinalizedAsset | null;
}

export interface RunSightings {
  run: string;
  /** Number of assets with the id. `assets` lists the first of them. */
  count: number;
  assets: AssetSighting[];
}

export interface IdSearchResult {
  /** Runs in which the id was found, newest first. */
  found: RunSightings[];
  /** Numbers of runs that were searched, of objects that were read, and of objects that were damaged. */
  runs: number;
  objects: number;
  damaged: number;
}

/** Searches the runs of a pipeline, newest first, back to the run that created the resource. */
export async function findId(input: IdSearchInput): Promise<IdSearchResult> {
  return new IdSearch(input).run();
}

/** Hits in one run, by asset key. Keys in `excessKeys` exceed the limit and are only counted. */
interface Hits {
  assets: Map<string, AssetSighting>;
  excessKeys: Set<string>;
  includesCreation: boolean;
}

const rank = { created: 0, listed: 1, sent: 2, received: 3 };

class IdSearch {
  readonly #input: IdSearchInput;
  readonly #isMatch: (text: string) => boolean;
  readonly #reader: TextReader;
  readonly #hitsByRun = new Map<string, Hits>();
  readonly #searchedRuns = new Set<string>();

  constructor(input: IdSearchInput) {
    this.#input = input;
    this.#isMatch = createIdMatcher(input.id);
    const { connector, signal, onProgress } = input;
    this.#reader = new TextReader({
      connector,
      base: pipelineFolderOf(input),
      isMatch: createIdSearch(input.id),
      maxConcurrent: maxConcurrentReads,
      signal,
      onProgress,
    });
  }

  async run(): Promise<IdSearchResult> {
    const { connector, signal, isOpen } = this.#input;
    const objects = new JsonObjects(connector, pipelineFolderOf(this.#input));
    const folders = await readRunFolders(objects, { maxConcurrent: maxConcurrentReads, signal });
    // Runs before the one that created the id cannot have it.
    const readFirst = (folder: RunFolder) =>
      isOpen(folder.run) ? this.#readAll(folder) : this.#readResults(folder);
    if (!(await this.#readUntilCreated(folders, readFirst))) {
      await this.#readUntilCreated(folders, (folder) => this.#readAll(folder));
    }
    for (const folder of folders) await this.#readOutcomes(folder);
    const found = folders.flatMap(({ run }): RunSightings[] => {
      const hits = this.#hitsByRun.get(run);
      if (!hits) return [];
      const count = hits.assets.size + hits.excessKeys.size;
      return [{ run, count, assets: this.#assetsOf(run).sort(compareByShard) }];
    });
    const { count, damagedCount } = this.#reader;
    return { found, runs: this.#searchedRuns.size, objects: count, damaged: damagedCount };
  }

  async #readUntilCreated(
    folders: readonly RunFolder[],
    read: (folder: RunFolder) => Promise<void>,
  ): Promise<boolean> {
    for (const folder of folders) {
      await read(folder);
      this.#searchedRuns.add(folder.run);
      if (this.#hitsByRun.get(folder.run)?.includesCreation) return true;
    }
    return false;
  }

  /** Reads the results, and the calls of the shards that have the id. */
  async #readResults(folder: RunFolder): Promise<void> {
    await this.#readPages(folder.run, folder.results);
    const shards = new Set(this.#assetsOf(folder.run).map(({ shard }) => shard));
    const intents = folder.intents.filter(({ shard }) => shards.has(shard));
    await this.#readIntents(folder.run, intents);
  }

  async #readAll(folder: RunFolder): Promise<void> {
    await this.#readResults(folder);
    await this.#readPages(folder.run, folder.runAssets);
    await this.#readIntents(folder.run, folder.intents);
  }

  /** Reads the results of assets that were found in calls. */
  async #readOutcomes({ run, results }: RunFolder): Promise<void> {
    const open = this.#assetsOf(run).filter((asset) => asset.finalized === null);
    const openAssets = new Map(open.map((asset) => [asset.key, asset]));
    const shards = new Set([...openAssets.values()].map(({ shard }) => shard));
    const pages = results.filter(({ shard }) => shards.has(shard));
    await this.#reader.read(pages, true, (_page, text) => {
      for (const finalized of parsePage(text)) {
        const asset = openAssets.get(finalized.key);
        if (asset && 'outcome' in finalized) this.#add(run, { ...asset, finalized });
      }
    });
  }

  async #readPages(run: string, pages: readonly ShardObject[]): Promise<void> {
    await this.#reader.readNew(pages, false, ({ shard }, text) => {
      for (const asset of parsePage(text)) {
        const sighting = findAssetSighting(asset, this.#isMatch);
        const finalized = 'outcome' in asset ? asset : null;
        if (sighting) this.#add(run, { ...sighting, shard, step: null, finalized });
      }
    });
  }

  async #readIntents(run: string, intents: readonly ShardObject[]): Promise<void> {
    // A call without the id may show where an asset got the id from.
    const receivedAssets = this.#assetsOf(run).filter(({ via }) => via === 'received');
    await this.#reader.readNew(intents, receivedAssets.length > 0, ({ shard, step }, text) => {
      const intent = parseIntent(text);
      for (const sighting of findIntentSightings(intent, this.#isMatch)) {
        this.#add(run, { ...sighting, shard, step, finalized: null });
      }
      for (const asset of receivedAssets) {
        if (asset.shard === shard && hasCreatedKind(intent, asset.kind, asset.key)) {
          this.#add(run, { ...asset, step });
        }
      }
    });
  }

  #assetsOf(run: string): AssetSighting[] {
    return [...(this.#hitsByRun.get(run)?.assets.values() ?? [])];
  }

  #add(run: string, sighting: AssetSighting): void {
    const none: Hits = { assets: new Map(), excessKeys: new Set(), includesCreation: false };
    const hits = this.#hitsByRun.get(run) ?? none;
    this.#hitsByRun.set(run, hits);
    hits.includesCreation ||= sighting.via === 'created';
    const earlierSighting = hits.assets.get(sighting.key);
    if (earlierSighting) hits.assets.set(sighting.key, mergeSightings(earlierSighting, sighting));
    else if (hits.assets.size < maxReportedAssets) hits.assets.set(sighting.key, sighting);
    else hits.excessKeys.add(sighting.key);
  }
}

function pipelineFolderOf({ pipeline }: IdSearchInput): string {
  return `.renderline/${pipelineSlugOf(pipeline)}`;
}

function compareByShard(a: AssetSighting, b: AssetSighting): number {
  if (a.shard !== b.shard) return a.shard - b.shard;
  return a.key < b.key ? -1 : 1;
}

/** Parses the assets in a page of results or of run assets. */
function parsePage(text: string): readonly (FinalizedAsset | RunAsset)[] {
  const page = parseJson(text);
  if (isResultsPage(page)) return page.finalized;
  return isRunAssetsPage(page) ? page.assets : [];
}

/** Keeps the sighting with the most details about the origin of the id. Only results contain how the asset ended. */
function mergeSightings(earlierSighting: AssetSighting, sighting: AssetSighting): AssetSighting {
  const [best, other] =
    rank[sighting.via] < rank[earlierSighting.via]
      ? [sighting, earlierSighting]
      : [earlierSighting, sighting];
  return {
    ...best,
    kind: best.kind === 'object' ? other.kind : best.kind,
    step: best.step ?? other.step,
    finalized: sighting.finalized ?? earlierSighting.finalized,
  };
}
