// Updates that activities write about the assets of a shard, one page for each activity: platform ids, files, warnings
// and failures. Workflows carry only the names of pages. A page is written once, under a name that no other attempt
// uses, and never changes.
import type { Connector } from '../../connectors/connector.ts';
import { memoizeByObject } from '../../plan/helpers/memoize.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { numberName, runFolder } from '../objects/object-name.ts';
import { splitByBytes } from '../objects/split-by-bytes.ts';

/** Maximum size of the pages that a process caches for each records connector. */
const maxCacheBytes = 32 * 1024 * 1024;

/** A change of one asset's state, written by one step. */
export interface AssetUpdate {
  /** Index in the shard's page of the run assets. */
  assetIndex: number;
  platformIds?: PlatformIds;
  forget?: (keyof PlatformIds)[];
  files?: DeliveredFile[];
  warnings?: string[];
  failure?: { code: string; message: string; attempts: number };
  retryStep?: string;
  /** Number of retries so far, by step. Set only in compacted pages. */
  retriesByStep?: Record<string, number>;
  /** Set if the platform refused to cancel the render. */
  renderContinues?: true;
}

export interface ShardPage {
  /** Node of the pipeline file. Empty if there is none. */
  node: string;
  updates: AssetUpdate[];
}

export class ShardPages {
  readonly #pages: JsonFolder<ShardPage>;
  readonly #cache: ShardPageCache;
  readonly #cachePrefix: string;

  constructor(objects: JsonObjects, cache: ShardPageCache, run: string, shard: number) {
    const folder = `${runFolder(run)}/pages/${numberName(shard, 5)}`;
    this.#pages = new JsonFolder(objects, folder, 'renderline/shard-page/v1');
    this.#cache = cache;
    this.#cachePrefix = `${objects.base}/${folder}/`;
  }

  /**
   * @param name unique among attempts of all activities
   * @returns the names of the written pages. Empty if there are no updates
   */
  async write(name: string, node: string, updates: readonly AssetUpdate[]): Promise<string[]> {
    const names: string[] = [];
    for (const { items, bytes } of splitByBytes(updates)) {
      const partName = names.length === 0 ? name : `${name}.${names.length + 1}`;
      const page = { node, updates: items };
      await this.#pages.write(partName, page);
      this.#cache.put(this.#cachePrefix + partName, page, bytes);
      names.push(partName);
    }
    return names;
  }

  read(names: readonly string[], signal?: AbortSignal): Promise<ShardPage[]> {
    return mapBounded(names, (name) => this.#read(name), { signal });
  }

  async #read(name: string): Promise<ShardPage> {
    const cachedPage = this.#cache.get(this.#cachePrefix + name);
    if (cachedPage) return cachedPage;
    const page = await this.#pages.read(name);
    if (page === null) throw this.#pages.missingError(name, 'a page of asset updates');
    this.#cache.put(this.#cachePrefix + name, page, Buffer.byteLength(JSON.stringify(page)));
    return page;
  }
}

/** Cache of the most recently used pages. Pages never change, so entries never become outdated. */
export class ShardPageCache {
  readonly #pages = new Map<string, { page: ShardPage; bytes: number }>();
  #bytes = 0;

  get(key: string): ShardPage | undefined {
    const entry = this.#pages.get(key);
    if (!entry) return undefined;
    // The page is moved to the end, so that the least recently used page comes first.
    this.#pages.delete(key);
    this.#pages.set(key, entry);
    return entry.page;
  }

  put(key: string, page: ShardPage, bytes: number): void {
    this.#bytes += bytes - (this.#pages.get(key)?.bytes ?? 0);
    this.#pages.delete(key);
    this.#pages.set(key, { page, bytes });
    for (const [oldest, { bytes: freed }] of this.#pages) {
      if (this.#bytes <= maxCacheBytes) return;
      this.#pages.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

export const pageCacheOf = memoizeByObject((_connector: Connector) => new ShardPageCache());
