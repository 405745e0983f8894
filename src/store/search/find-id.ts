// Finds the runs of a pipeline that have an id of the platform, and at which of their assets.
//
// Results pages hold the ids of some hundred assets each, so they are read first; the calls that runs have
// sent, some dozens an asset page, only of runs that go on and where the pages do not tell who made the thing.
import { parseJson } from '../../api/bounded-json.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import { parseIntent } from '../calls/intents.ts';
import { JsonObjects } from '../objects/json-objects.ts';
import { pipelineSlug } from '../objects/object-name.ts';
import { isManifestPage, type ManifestAsset } from '../runs/manifest.ts';
import { isResultsPage } from '../runs/results.ts';
import { type RunFolder, readRunFolders, type ShardObject } from '../runs/run-folders.ts';
import { isIdOf, spellingsOf } from './id-spelling.ts';
import { type Sighting, seenAtAsset, seenInIntent, yields } from './platform-ids.ts';
import { TextReader } from './text-reader.ts';

/** Small reads in flight: most of the time of each is the way to the store. */
const readsAtOnce = 32;
/** Assets of one run that are told one by one; the id of a template may be at all of them. */
const assetsToldAtMost = 100;

export interface IdSearchInput {
  connector: Connector;
  pipeline: string;
  id: string;
  /** Has the run not ended? What it has made may be in its calls only. */
  isOpen: (run: string) => boolean;
  signal: AbortSignal;
  /** Told how many objects have been read. */
  onProgress: (read: number) => void;
}

export interface FoundAsset extends Sighting {
  shard: number;
  /** Step that the id came with; null where nothing kept tells. */
  step: string | null;
  /** How the asset ended in this run; null while it has not. */
  settled: SettledAsset | null;
}

export interface FoundRun {
  run: string;
  /** How many assets have the id; `assets` are the first of them. */
  count: number;
  assets: FoundAsset[];
}

export interface IdSearchResult {
  /** Newest first. */
  found: FoundRun[];
  /** Counts of what was looked through, and of what could not be read. */
  runs: number;
  objects: number;
  damaged: number;
}

/** Looks through the runs of a pipeline, newest first, back to the one that made the thing. */
export async function findId(input: IdSearchInput): Promise<IdSearchResult> {
  return new IdSearch(input).run();
}

/** Hits in one run, by asset key; `more` are those that are only counted. */
interface Hits {
  assets: Map<string, FoundAsset>;
  more: Set<string>;
  isMade: boolean;
}

const rank = { made: 0, taken: 1, sent: 2, kept: 3 };

class IdSearch {
  readonly #input: IdSearchInput;
  readonly #isWanted: (text: string) => boolean;
  readonly #reader: TextReader;
  readonly #found = new Map<string, Hits>();

  constructor(input: IdSearchInput) {
    this.#input = input;
    this.#isWanted = isIdOf(input.id);
    const { connector, signal, onProgress } = input;
    const needles = spellingsOf(input.id);
    this.#reader = new TextReader({
      connector,
      base: baseOf(input),
      needles,
      atOnce: readsAtOnce,
      signal,
      onProgress,
    });
  }

  async run(): Promise<IdSearchResult> {
    const { connector, signal, isOpen } = this.#input;
    const objects = new JsonObjects(connector, baseOf(this.#input));
    const folders = await readRunFolders(objects, { atOnce: readsAtOnce, signal });
    // An id is made once, and no run before that can have it.
    const quick = (folder: RunFolder) =>
      isOpen(folder.run) ? this.#readAll(folder) : this.#readResults(folder);
    if (!(await this.#untilMade(folders, quick))) {
      await this.#untilMade(folders, (folder) => this.#readAll(folder));
    }
    for (const folder of folders) await this.#readEnds(folder);
    const found = folders.flatMap(({ run }): FoundRun[] => {
      const hits = this.#found.get(run);
      if (!hits) return [];
      return [
        {
          run,
          count: hits.assets.size + hits.more.size,
          assets: this.#assetsOf(run).sort(byPlace),
        },
      ];
    });
    return {
      found,
      runs: folders.length,
      objects: this.#reader.count,
      damaged: this.#reader.damaged,
    };
  }

  async #untilMade(
    folders: readonly RunFolder[],
    read: (folder: RunFolder) => Promise<void>,
  ): Promise<boolean> {
    for (const folder of folders) {
      await read(folder);
      if (this.#found.get(folder.run)?.isMade) return true;
    }
    return false;
  }

  /** The results, and the calls of the shards where they have the id. */
  async #readResults(folder: RunFolder): Promise<void> {
    await this.#readPages(folder.run, folder.results);
    const shards = new Set(this.#assetsOf(folder.run).map(({ shard }) => shard));
    const intents = folder.intents.filter(({ shard }) => shards.has(shard));
    await this.#readIntents(folder.run, intents);
  }

  async #readAll(folder: RunFolder): Promise<void> {
    await this.#readResults(folder);
    await this.#readPages(folder.run, folder.manifest);
    await this.#readIntents(folder.run, folder.intents);
  }

  /** How assets ended that only calls have told of. */
  async #readEnds({ run, results }: RunFolder): Promise<void> {
    const open = new Map(
      this.#assetsOf(run).flatMap((asset) => (asset.settled ? [] : [[asset.key, asset]])),
    );
    const shards = new Set([...open.values()].map(({ shard }) => shard));
    const pages = results.filter(({ shard }) => shards.has(shard));
    await this.#reader.read(pages, true, (_page, text) => {
      for (const settled of pageOf(text)) {
        const asset = open.get(settled.key);
        if (asset && 'outcome' in settled) this.#add(run, { ...asset, settled });
      }
    });
  }

  async #readPages(run: string, pages: readonly ShardObject[]): Promise<void> {
    await this.#reader.readNew(pages, false, ({ shard }, text) => {
      for (const asset of pageOf(text)) {
        const sighting = seenAtAsset(asset, this.#isWanted);
        const settled = 'outcome' in asset ? asset : null;
        if (sighting) this.#add(run, { ...sighting, shard, step: null, settled });
      }
    });
  }

  async #readIntents(run: string, intents: readonly ShardObject[]): Promise<void> {
    // Calls that do not name the id may tell where assets have it from.
    const kept = this.#assetsOf(run).filter(({ came }) => came === 'kept');
    await this.#reader.readNew(intents, kept.length > 0, ({ shard, step }, text) => {
      const intent = parseIntent(text);
      for (const sighting of seenInIntent(intent, this.#isWanted)) {
        this.#add(run, { ...sighting, shard, step, settled: null });
      }
      for (const asset of kept) {
        if (asset.shard === shard && yields(intent, asset.kind, asset.key)) {
          this.#add(run, { ...asset, step });
        }
      }
    });
  }

  #assetsOf(run: string): FoundAsset[] {
    return [...(this.#found.get(run)?.assets.values() ?? [])];
  }

  #add(run: string, one: FoundAsset): void {
    const none: Hits = { assets: new Map(), more: new Set(), isMade: false };
    const hits = this.#found.get(run) ?? none;
    this.#found.set(run, hits);
    hits.isMade ||= one.came === 'made';
    const before = hits.assets.get(one.key);
    if (before) hits.assets.set(one.key, merged(before, one));
    else if (hits.assets.size < assetsToldAtMost) hits.assets.set(one.key, one);
    else hits.more.add(one.key);
  }
}

function baseOf({ pipeline }: IdSearchInput): string {
  return `.renderline/${pipelineSlug(pipeline)}`;
}

function byPlace(a: FoundAsset, b: FoundAsset): number {
  if (a.shard !== b.shard) return a.shard - b.shard;
  return a.key < b.key ? -1 : 1;
}

/** The assets of a page of results or of a manifest. */
function pageOf(text: string): readonly (SettledAsset | ManifestAsset)[] {
  const page = parseJson(text);
  if (isResultsPage(page)) return page.settled;
  return isManifestPage(page) ? page.assets : [];
}

/** The sighting that says most about how the run came by the id counts; only results tell how the asset ended. */
function merged(before: FoundAsset, one: FoundAsset): FoundAsset {
  const [best, other] = rank[one.came] < rank[before.came] ? [one, before] : [before, one];
  return {
    ...best,
    kind: best.kind === 'object' ? other.kind : best.kind,
    step: best.step ?? other.step,
    settled: one.settled ?? before.settled,
  };
}
