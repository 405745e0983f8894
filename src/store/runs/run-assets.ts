// The assets of a run, with a page per shard, written once. A repeated discovery returns the first result.
import type { ConnectorError } from '../../connectors/connector-error.ts';
import type { Discovery } from '../../plan/contract/contract.ts';
import {
  countShards,
  type ShardingOptions,
  shardStartsOfGroups,
  startOfShard,
} from '../../plan/contract/sharding.ts';
import type { Position } from '../../plan/grid.ts';
import { takeFitting } from '../../plan/helpers/bytes.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { countStartPoints } from '../../plan/run/start-points.ts';
import type { Failure } from '../../plan/types.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import { hasSchema, type JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { numberName, runFolder } from '../objects/object-name.ts';
import { PromiseCache } from '../objects/promise-cache.ts';
import { splitByBytes, writeParts } from '../objects/split-by-bytes.ts';
import { isCell, modelKeyOf } from '../records/cell-keys.ts';
import { findStartPoint, type RunAsset } from './run-asset.ts';
import {
  type AttemptPages,
  createPagesFolderName,
  partsOf,
  type RunAssetsHead,
  RunAssetsHeads,
} from './run-assets-heads.ts';

const pageSchema = 'renderline/manifest-page/v1';
const maxCachedPages = 8;
/** Maximum numbers of positions of a dimension, and of failures, that are sent with the counts. Pages contain all. */
const maxPositions = 50;
const maxRefusals = { count: 20, bytes: 8_000 };

export type { AssetReason, RunAsset } from './run-asset.ts';

interface RunAssetsPage {
  assets: RunAsset[];
  /** Number of further objects, if the assets of the page do not fit into one. */
  moreParts?: number;
}

export function isRunAssetsPage(value: unknown): value is RunAssetsPage {
  return hasSchema(value, pageSchema);
}

export interface NewRunAssets extends ShardingOptions {
  assets: readonly RunAsset[];
  lineage?: string;
  category?: string | null;
  location?: string | undefined;
  sources?: string | undefined;
  parametersHash?: string | undefined;
  counts: Omit<Discovery, 'pages' | 'refused' | 'refusals'>;
  /** Sources that could not become an asset. */
  refused: readonly Failure[];
  /** Absent if the request contains the whole listing. */
  discoveryPage?: NewDiscoveryPage;
}

/** One discovery page. The other fields of the request describe only this page. */
export interface NewDiscoveryPage {
  number: number;
  /** Head of the previous discovery page. Null for the first. */
  before: RunAssetsHead | null;
  /** Where the listing continues: after this path, or after this number of rows. Null if nothing remains. */
  after: string | null;
  tables: string | undefined;
  /** All keys that the discovery page has assigned. */
  keys: readonly string[];
}

const wholeListing = { number: 0, before: null, after: null, tables: undefined };

/** Finds the first asset of each shard, by index. Cells of a model stay together. Undefined if assets are not cells. */
function findStarts(assets: readonly RunAsset[], sharing: ShardingOptions): number[] | undefined {
  if (!assets.some(isCell)) return undefined;
  const models = [...groupBy(assets, modelKeyOf).values()];
  return shardStartsOfGroups(
    models.map((cells) => cells.length),
    sharing,
  );
}

/** Returns the first names of positions by dimension. */
function positionsOf(assets: readonly RunAsset[]): Record<string, string[]> {
  const positions = assets.flatMap(({ source }) => source.cell?.positions ?? []);
  const byDimension = [...groupBy(positions, ({ dimension }) => dimension)];
  const namesOf = (group: readonly Position[]) => [...new Set(group.map(({ name }) => name))];
  const firstNames = (group: readonly Position[]) => namesOf(group).slice(0, maxPositions);
  return Object.fromEntries(byDimension.map(([name, group]) => [name, firstNames(group)]));
}

/** Counts the asset pages to write. These are the full ones and, on the last discovery page, the rest. */
function countPages(assets: number, sharing: ShardingOptions, isLastPage: boolean): number {
  return isLastPage ? countShards(assets, sharing) : Math.floor(assets / sharing.shardSize);
}

type Counts = Pick<Discovery, 'total' | 'new' | 'changed' | 'unchanged'>;

/** Adds the counts of a discovery page to the counts of the previous ones. */
export function addCounts(earlierCounts: Counts | null, counts: Counts): Counts {
  const { total = 0, new: fresh = 0, changed = 0, unchanged = 0 } = earlierCounts ?? {};
  return {
    total: total + counts.total,
    new: fresh + counts.new,
    changed: changed + counts.changed,
    unchanged: unchanged + counts.unchanged,
  };
}

function addFindings(
  previousDiscovery: Discovery | null,
  { assets, counts, refused }: Pick<NewRunAssets, 'assets' | 'counts' | 'refused'>,
): Omit<Discovery, 'pages'> {
  const refusals = takeFitting([...(previousDiscovery?.refusals ?? []), ...refused], maxRefusals);
  const startPoints = countStartPoints(assets.map(findStartPoint), previousDiscovery?.startPoints);
  const warnings = [...(previousDiscovery?.warnings ?? []), ...(counts.warnings ?? [])];
  return {
    ...counts,
    ...addCounts(previousDiscovery, counts),
    refused: (previousDiscovery?.refused ?? 0) + refused.length,
    ...(refusals.length > 0 ? { refusals } : {}),
    ...(startPoints.length > 0 ? { startPoints } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

export class RunAssets {
  readonly #run: string;
  readonly #pages: JsonFolder<RunAssetsPage>;
  readonly #refused: JsonFolder<{ refused: Failure[] }>;
  /** Pages are cached, because finalizing reads the same page many times and a page never changes. */
  readonly #cachedPages = new PromiseCache<RunAsset[]>(maxCachedPages);
  readonly heads: RunAssetsHeads;

  constructor(objects: JsonObjects, run: string) {
    const folder = runFolder(run);
    this.#run = run;
    this.#pages = new JsonFolder(objects, `${folder}/manifest`, pageSchema);
    this.#refused = new JsonFolder(objects, `${folder}/refused`, 'renderline/refused/v1');
    this.heads = new RunAssetsHeads(objects, folder);
  }

  /** Reads the result of discovery, with `nextDiscoveryPage` while pages are missing. Null before the first page. */
  async readDiscovery(): Promise<Discovery | null> {
    return (await this.heads.latest())?.discovery ?? null;
  }

  /** Returns any head, since all heads of a run have the same lineage, location and category. Null before the first. */
  head(): Promise<RunAssetsHead | null> {
    return this.heads.latest(() => true);
  }

  /**
   * Writes the pages, then the head that makes them valid. If the head already exists, its result is returned.
   */
  async write(request: NewRunAssets): Promise<Discovery> {
    const { shardSize, refused, discoveryPage } = request;
    const { number, before, after, tables } = discoveryPage ?? wholeListing;
    const existingHead = await this.heads.read(number);
    if (existingHead) return existingHead.discovery;
    const set = createPagesFolderName();
    const assets = [...(await this.#readRest(before)), ...request.assets];
    const starts = findStarts(assets, request);
    const first = before?.discovery.pages ?? 0;
    const isLastPage = after === null;
    const pages = starts?.length ?? countPages(assets.length, request, isLastPage);
    const startOf = (page: number) => startOfShard(request, page, starts);
    await mapBounded(Array.from({ length: pages }), async (_, page) => {
      const slice = assets.slice(startOf(page), startOf(page + 1));
      await this.#writePage(pageName(set, first + page), slice);
    });
    const refusedPages = await writeParts(refused, (failures, page) =>
      this.#refused.write(refusedName(set, page), { refused: failures }),
    );
    const keyPages = isLastPage ? 0 : await this.heads.writeKeys(set, discoveryPage?.keys ?? []);
    const part: AttemptPages = { set, pages: first + pages, refusedPages, keyPages };
    const isWhole = before === null && isLastPage;
    const parts = [...(before ? partsOf(before) : []), part];
    const remainingAssets = isLastPage ? [] : assets.slice(startOf(pages));
    const rest = await this.#writeParts(restName(set), remainingAssets);
    const head = await this.heads.create(number, {
      run: this.#run,
      ...omitUndefined({ lineage: request.lineage }),
      set,
      shardSize,
      category: request.category ?? null,
      ...omitUndefined({
        location: request.location,
        sources: request.sources,
        parametersHash: request.parametersHash,
      }),
      refusedPages,
      discovery: {
        ...addFindings(before?.discovery ?? null, request),
        pages: first + pages,
        ...(starts ? { starts, positions: positionsOf(assets) } : {}),
        ...(isLastPage ? {} : { nextDiscoveryPage: number + 1 }),
      },
      ...(isWhole
        ? {}
        : {
            continuation: {
              after: after ?? '',
              ...omitUndefined({ tables }),
              rest: rest.assets,
              ...(rest.moreParts ? { moreRestParts: rest.moreParts } : {}),
              parts,
            },
          }),
    });
    return head.discovery;
  }

  /** Returns the assets of one shard. Empty if the run has no such shard. */
  page(shard: number): Promise<RunAsset[]> {
    return this.#cachedPages.getOrStart(String(shard), () => this.#readPage(shard));
  }

  /** Yields all sources that could not become an asset, one page at a time. */
  async *refused(): AsyncGenerator<Failure[]> {
    const head = await this.heads.latest();
    for (const { set, refusedPages } of head ? partsOf(head) : []) {
      for (let page = 0; page < refusedPages; page += 1) {
        const refusedPage = await this.#refused.read(refusedName(set, page));
        if (refusedPage) yield refusedPage.refused;
      }
    }
  }

  /** @throws ConnectorError RECORDS_UNREADABLE if the records were moved, or their drive is no longer mounted */
  async assertStored(): Promise<void> {
    if (!(await this.heads.isStored())) throw this.missingError();
  }

  missingError(): ConnectorError {
    return this.heads.missingError(`the asset list of run ${this.#run}`);
  }

  async #readPage(shard: number): Promise<RunAsset[]> {
    const head = await this.heads.latest(({ discovery }) => shard < discovery.pages);
    const part = head && partsOf(head).find(({ pages }) => shard < pages);
    const isListing = head?.discovery.nextDiscoveryPage !== undefined;
    if (!part && !isListing) return [];
    const name = pageName(part?.set ?? '', shard);
    if (!part) throw this.#missingPartError(name);
    return this.#readParts(name, await this.#readPart(name));
  }

  /** Reads the assets that the earlier discovery pages have found, but that do not fill a page yet. */
  async #readRest(head: RunAssetsHead | null): Promise<RunAsset[]> {
    if (!head?.continuation) return [];
    const { rest, moreRestParts = 0 } = head.continuation;
    return this.#readParts(restName(head.set), { assets: rest, moreParts: moreRestParts });
  }

  async #readParts(name: string, { assets, moreParts = 0 }: RunAssetsPage): Promise<RunAsset[]> {
    const names = Array.from({ length: moreParts }, (_, index) => partName(name, index + 1));
    const others = await mapBounded(names, (other) => this.#readPart(other));
    return [...assets, ...others.flatMap((other) => other.assets)];
  }

  async #readPart(name: string): Promise<RunAssetsPage> {
    const part = await this.#pages.read(name);
    if (part) return part;
    throw this.#missingPartError(name);
  }

  #missingPartError(name: string): ConnectorError {
    return this.#pages.missingError(name, `a page of the asset list of run ${this.#run}`);
  }

  async #writePage(name: string, assets: readonly RunAsset[]): Promise<void> {
    await this.#pages.write(name, await this.#writeParts(name, assets));
  }

  /**
   * Writes all parts of a page except the first, which it returns. Pages have parts that can be read, since the earlier
   * work of assets can take many kilobytes each.
   */
  async #writeParts(name: string, assets: readonly RunAsset[]): Promise<RunAssetsPage> {
    const [first, ...others] = splitByBytes(assets);
    for (const [index, { items }] of others.entries()) {
      await this.#pages.write(partName(name, index + 1), { assets: items });
    }
    const more = others.length > 0 ? { moreParts: others.length } : {};
    return { assets: first?.items ?? [], ...more };
  }
}

function pageName(set: string, page: number): string {
  return `${set}/${numberName(page, 4)}`;
}

function restName(set: string): string {
  return `rest/${set}`;
}

function partName(page: string, part: number): string {
  return `${page}-${numberName(part, 4)}`;
}

function refusedName(set: string, page: number): string {
  return `${set}-${numberName(page, 4)}`;
}
