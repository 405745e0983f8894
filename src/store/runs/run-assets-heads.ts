// The heads of a list of run assets: one for each discovery page, created once, which makes the pages of assets before
// it valid. The first head is the index; most runs have no other.
import { randomBytes } from 'node:crypto';
import type { Discovery } from '../../plan/contract/contract.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { writeParts } from '../objects/split-by-bytes.ts';
import type { RunAsset } from './run-asset.ts';

const headSchema = 'renderline/manifest/v1';
const keysSchema = 'renderline/discovery-page-keys/v1';
const pagesFolder = 'manifest/discovery-pages';

/** Pages that one attempt at a discovery page wrote. Each attempt has its own folder, so attempts never mix. */
export interface Part {
  set: string;
  /** Pages of assets up to and including this discovery page. */
  pages: number;
  refusedPages: number;
  /** Number of pages with the keys that the discovery page has assigned; 0 for the last discovery page. */
  keyPages: number;
}

/** What a paged listing needs to know about earlier pages. */
interface Continuation {
  /** Where the listing continues: after this path, or after this number of rows; empty if nothing remains. */
  after: string;
  /** Version of the tables whose rows the assets have; absent: they have none. */
  tables?: string;
  /** Assets that do not fill a page of assets yet. */
  rest: RunAsset[];
  parts: Part[];
}

export interface RunAssetsHead {
  schema: typeof headSchema;
  run: string;
  /** Lineage of the run; absent: the run itself. */
  lineage?: string;
  /** Folder with the pages of the latest discovery page. */
  set: string;
  shardSize: number;
  /** Category that the pipeline gives its models; models of another category are not reused. */
  category: string | null;
  /** Id of the listed location; absent if assets are not files. */
  location?: string;
  /** Connector of the listed files; absent if assets are not files. */
  sources?: string;
  refusedPages: number;
  /** Sums of all discovery pages so far. */
  discovery: Discovery;
  /** Absent if one discovery page contains everything. */
  continuation?: Continuation;
}

/** Keys that a discovery page has assigned, including those of unchanged assets. */
interface DiscoveryPageKeys {
  schema: typeof keysSchema;
  /** Keys as `encodeTakenKey` writes them. */
  keys: string[];
}

export function partsOf({ set, refusedPages, discovery, continuation }: RunAssetsHead): Part[] {
  return continuation?.parts ?? [{ set, pages: discovery.pages, refusedPages, keyPages: 0 }];
}

export function createPagesFolderName(): string {
  return randomBytes(6).toString('hex');
}

export class RunAssetsHeads {
  readonly #objects: JsonObjects;
  readonly #folder: string;
  /** Heads never change, so the newest known one is cached. */
  #newestEntry: { number: number; head: RunAssetsHead } | null = null;
  #reading: Promise<RunAssetsHead | null> | null = null;

  /** @param folder of the run */
  constructor(objects: JsonObjects, folder: string) {
    this.#objects = objects;
    this.#folder = folder;
  }

  /** Path of a head, below the pipeline's folder. */
  pathOf(discoveryPage: number): string {
    if (discoveryPage === 0) return `${this.#folder}/manifest/index.json`;
    return `${this.#folder}/${pagesFolder}/${String(discoveryPage).padStart(6, '0')}.json`;
  }

  async read(discoveryPage: number): Promise<RunAssetsHead | null> {
    if (this.#newestEntry?.number === discoveryPage) return this.#newestEntry.head;
    const head = await readHead(this.#objects, this.pathOf(discoveryPage));
    if (head && discoveryPage >= (this.#newestEntry?.number ?? 0))
      this.#newestEntry = { number: discoveryPage, head };
    return head;
  }

  /** The cached head if `isEnough` accepts it, otherwise the newest head; null before the first head is created. */
  async latest(isEnough: (head: RunAssetsHead) => boolean = isLast): Promise<RunAssetsHead | null> {
    const cachedHead = this.#newestEntry?.head;
    if (cachedHead && (isLast(cachedHead) || isEnough(cachedHead))) return cachedHead;
    this.#reading ??= this.#readNewest().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Creates a head. If another worker has created the head first, returns that head. */
  async create(discoveryPage: number, head: Omit<RunAssetsHead, 'schema'>): Promise<RunAssetsHead> {
    const newHead: RunAssetsHead = { schema: headSchema, ...head };
    const path = this.pathOf(discoveryPage);
    const outcome = await this.#objects.write(path, newHead, { ifAbsent: true });
    const first = outcome === 'written' ? null : await this.read(discoveryPage);
    return first ?? newHead;
  }

  /** Stores the keys that a discovery page has assigned. Returns the number of stored pages. */
  writeKeys(set: string, keys: readonly string[]): Promise<number> {
    return writeParts(keys, (part, page) => {
      const value: DiscoveryPageKeys = { schema: keysSchema, keys: part };
      return this.#objects.write(this.#keysPath(set, page), value);
    });
  }

  /** Yields the stored keys, one stored page at a time. */
  async *keysOf({ set, keyPages }: Pick<Part, 'set' | 'keyPages'>): AsyncGenerator<string[]> {
    for (let page = 0; page < keyPages; page += 1) {
      const path = this.#keysPath(set, page);
      const keysPage = await this.#objects.read<DiscoveryPageKeys>(path, keysSchema);
      if (!keysPage) throw this.#objects.missingError(path, 'the list of keys of a discovery page');
      yield keysPage.keys;
    }
  }

  async #readNewest(): Promise<RunAssetsHead | null> {
    const first = await this.read(0);
    if (first === null || isLast(first)) return first;
    const names = await this.#objects.names(`${this.#folder}/${pagesFolder}`);
    const numbers = names.map((name) => Number.parseInt(name, 10));
    const newestNumber = numbers.reduce((max, number) => Math.max(max, number), 0);
    return this.read(newestNumber);
  }

  #keysPath(set: string, page: number): string {
    return `${this.#folder}/listed/${set}-${String(page).padStart(4, '0')}.json`;
  }
}

function readHead(objects: JsonObjects, path: string): Promise<RunAssetsHead | null> {
  return objects.read<RunAssetsHead>(path, headSchema);
}

function isLast({ discovery }: RunAssetsHead): boolean {
  return discovery.nextDiscoveryPage === undefined;
}

/**
 * Returns the run of a list of run assets and the folders with its valid pages; null before the first head exists.
 * @param folder folder of the run
 * @param paths all paths in it, relative to it
 */
export async function findRunAssetsPages(
  objects: JsonObjects,
  folder: string,
  paths: readonly string[],
): Promise<{ run: string; sets: ReadonlySet<string> } | null> {
  const newestPath = paths
    .filter((path) => path.startsWith(`${pagesFolder}/`))
    .sort()
    .at(-1);
  const path = `${folder}/${newestPath ?? 'manifest/index.json'}`;
  const head = await readHead(objects, path);
  return head && { run: head.run, sets: new Set(partsOf(head).map(({ set }) => set)) };
}
