// Which assets a run works on, in pages of one shard each. A run's manifest is made once: a discovery that
// runs twice answers what the first one found, even if files have come since.
import { randomBytes } from 'node:crypto';
import type { ConnectorError } from '../../connectors/connector-error.ts';
import { firstFitting } from '../../plan/bytes.ts';
import type { Discovery } from '../../plan/contract.ts';
import { groupBy } from '../../plan/group-by.ts';
import type { Refs } from '../../plan/refs.ts';
import { type Sharing, shardsFor, startOfShard, startsOfGroups } from '../../plan/shares.ts';
import type { AssetSource, Failure } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { mapBounded } from '../objects/bounded.ts';
import { byteParts } from '../objects/byte-parts.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey } from '../objects/object-name.ts';
import { isCell, modelKeyOf } from '../records/asset-names.ts';
import type { EarlierWork } from '../records/earlier-work.ts';

const indexSchema = 'renderline/manifest/v1';
const pageSchema = 'renderline/manifest-page/v1';
const refusedSchema = 'renderline/refused/v1';
const pagesRemembered = 8;
/** Refusals that travel with the counts; the run has all of them in pages. */
const colorwaysTold = 50;
const refusalsTold = { count: 20, bytes: 8_000 };

/** `recipe`: the source is as delivered, the pipeline makes something else of it. `retry`: nothing was delivered, but an earlier run tried. `redeliver`: nothing has changed, but what was delivered does not lie there any more as it was. */
export type AssetReason = 'new' | 'changed' | 'recipe' | 'retry' | 'redeliver';

export interface ManifestAsset {
  key: string;
  source: AssetSource;
  reason: AssetReason;
  /** Names of the key's records so far; they go when the new one is there. */
  previous?: string[];
  /** Hash of the source (hex), where it was read when it was found. */
  sourceSha256?: string;
  /** Platform ids that this run may build on. */
  refs?: Refs;
  /** What its record, which goes, keeps of other recipes. */
  earlier?: EarlierWork[];
}

interface ManifestIndex {
  schema: typeof indexSchema;
  run: string;
  /** Absent: the run itself. */
  lineage?: string;
  /** Folder of the pages: two discoveries at once never mix theirs. */
  set: string;
  shardSize: number;
  /** Category that the pipeline gives its models; models of another category are not reused. */
  category: string | null;
  refusedPages: number;
  discovery: Discovery;
}

interface ManifestPage {
  schema: typeof pageSchema;
  assets: ManifestAsset[];
}

interface RefusedPage {
  schema: typeof refusedSchema;
  refused: Failure[];
}

export interface NewManifest extends Sharing {
  assets: readonly ManifestAsset[];
  lineage?: string;
  category?: string | null;
  counts: Omit<Discovery, 'pages' | 'refused' | 'refusals'>;
  /** What could not become an asset. */
  refused: readonly Failure[];
}

/** Whose manifest lies in the folder of a run, and which of its folders has the pages; null before it is complete. */
export async function manifestHead(
  objects: JsonObjects,
  folder: string,
): Promise<Pick<ManifestIndex, 'run' | 'set'> | null> {
  return objects.read<ManifestIndex>(`${folder}/manifest/index.json`, indexSchema);
}

/** Where shards begin in a colorway grid, whose models are not parted; undefined where assets are no cells. */
function startsOf(assets: readonly ManifestAsset[], sharing: Sharing): number[] | undefined {
  if (!assets.some(isCell)) return undefined;
  const models = [...groupBy(assets, modelKeyOf).values()];
  return startsOfGroups(
    models.map((cells) => cells.length),
    sharing,
  );
}

function colorwaysOf(assets: readonly ManifestAsset[]): string[] {
  const names = assets.flatMap(({ source }) => source.colorway?.name ?? []);
  return [...new Set(names)].slice(0, colorwaysTold);
}

export class Manifest {
  readonly #objects: JsonObjects;
  readonly #run: string;
  readonly #folder: string;
  readonly #pages = new Map<number, Promise<ManifestAsset[]>>();
  #index: Promise<ManifestIndex | null> | null = null;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#run = run;
    this.#folder = `runs/${encodeKey(run)}/manifest`;
  }

  /** What the run found; null before its manifest is complete. */
  async discovery(): Promise<Discovery | null> {
    return (await this.#readIndex())?.discovery ?? null;
  }

  /** Writes the pages, then the index that makes them valid. If the run has one, that one is returned. */
  async write(wish: NewManifest): Promise<Discovery> {
    const standing = await this.discovery();
    if (standing) return standing;
    const { assets, shardSize, refused, counts } = wish;
    const set = randomBytes(6).toString('hex');
    const starts = startsOf(assets, wish);
    const pages = starts?.length ?? shardsFor(assets.length, wish);
    const startOf = (page: number) => startOfShard(wish, page, starts);
    await mapBounded(Array.from({ length: pages }), async (_, page) => {
      const slice = assets.slice(startOf(page), startOf(page + 1));
      const value: ManifestPage = { schema: pageSchema, assets: slice };
      await this.#objects.write(this.#pagePath(set, page), value);
    });
    let refusedPages = 0;
    for (const { items } of byteParts(refused)) {
      const value: RefusedPage = { schema: refusedSchema, refused: items };
      await this.#objects.write(this.#refusedPath(set, refusedPages), value);
      refusedPages += 1;
    }
    const refusals = firstFitting(refused, refusalsTold);
    const index: ManifestIndex = {
      schema: indexSchema,
      run: this.#run,
      ...withoutUndefined({ lineage: wish.lineage }),
      set,
      shardSize,
      category: wish.category ?? null,
      refusedPages,
      discovery: {
        ...counts,
        pages,
        ...(starts ? { starts, colorways: colorwaysOf(assets) } : {}),
        refused: refused.length,
        ...(refusals.length > 0 ? { refusals } : {}),
      },
    };
    const answer = await this.#objects.write(`${this.#folder}/index.json`, index, {
      ifAbsent: true,
    });
    if (answer === 'written') return index.discovery;
    const first = await this.discovery();
    return first ?? index.discovery;
  }

  /** The assets of one shard; empty when the run has no such shard. */
  page(shard: number): Promise<ManifestAsset[]> {
    const known = this.#pages.get(shard);
    if (known) return known;
    const reading = this.#readPage(shard);
    // Settling asks for the same page again and again; a page never changes.
    if (this.#pages.size >= pagesRemembered) this.#pages.clear();
    this.#pages.set(shard, reading);
    reading.catch(() => this.#pages.delete(shard));
    return reading;
  }

  /** All that could not become an asset. */
  async refused(): Promise<Failure[]> {
    const index = await this.#readIndex();
    if (!index) return [];
    const paths = Array.from({ length: index.refusedPages }, (_, page) =>
      this.#refusedPath(index.set, page),
    );
    const pages = await mapBounded(paths, async (path) => {
      const page = await this.#objects.read<RefusedPage>(path, refusedSchema);
      return page?.refused ?? [];
    });
    return pages.flat();
  }

  /** Thrown by who knows that it was there. */
  gone(): ConnectorError {
    return this.#objects.gone(`${this.#folder}/index.json`, `the manifest of run ${this.#run}`);
  }

  async lineage(): Promise<string> {
    return (await this.#readIndex())?.lineage ?? this.#run;
  }

  async category(): Promise<string | null> {
    return (await this.#readIndex())?.category ?? null;
  }

  async #readPage(shard: number): Promise<ManifestAsset[]> {
    const index = await this.#readIndex();
    if (!index || shard >= index.discovery.pages) return [];
    const path = this.#pagePath(index.set, shard);
    const page = await this.#objects.read<ManifestPage>(path, pageSchema);
    if (page) return page.assets;
    throw this.#objects.gone(path, `a page of the manifest of run ${this.#run}`);
  }

  async #readIndex(): Promise<ManifestIndex | null> {
    this.#index ??= this.#objects.read<ManifestIndex>(`${this.#folder}/index.json`, indexSchema);
    const index = await this.#index.catch((error: unknown) => {
      this.#index = null;
      throw error;
    });
    // Only what is there is remembered: it may be written later.
    if (index === null) this.#index = null;
    return index;
  }

  #refusedPath(set: string, page: number): string {
    return `runs/${encodeKey(this.#run)}/refused/${set}-${String(page).padStart(4, '0')}.json`;
  }

  #pagePath(set: string, page: number): string {
    return `${this.#folder}/${set}/${String(page).padStart(4, '0')}.json`;
  }
}
