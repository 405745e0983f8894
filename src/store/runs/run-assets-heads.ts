// The heads of a list of run assets. Each discovery page has one head. It is created once, and validates the pages
// of assets before it. The first head is the index. Most runs have no other head.
import { randomBytes } from 'node:crypto';
import type { ConnectorError } from '../../connectors/connector-error.ts';
import type { Discovery } from '../../plan/contract/contract.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { numberName } from '../objects/object-name.ts';
import { writeParts } from '../objects/split-by-bytes.ts';
import type { RunAsset } from './run-asset.ts';

const pagesFolder = 'discovery-pages';

/** Pages that one attempt at a discovery page wrote. Each attempt has its own folder, so attempts never mix. */
export interface AttemptPages {
  set: string;
  /** Number of pages of assets up to and including this discovery page. */
  pages: number;
  refusedPages: number;
  /** Number of pages with the keys that the discovery page has assigned. Zero for the last discovery page. */
  keyPages: number;
}

/** State of a paged listing after the earlier pages. */
interface Continuation {
  /** Where the listing continues: after this path, or after this number of rows. Empty if nothing remains. */
  after: string;
  /** Version of the tables that contain the rows of the assets. Absent if the assets have no rows. */
  tables?: string;
  /** Assets that do not fill a page of assets yet. */
  rest: RunAsset[];
  /** Number of further objects, if these assets do not fit into the head. */
  moreRestParts?: number;
  parts: AttemptPages[];
}

export interface RunAssetsHead {
  run: string;
  /** Lineage of the run. If absent, the run is its own lineage. */
  lineage?: string;
  /** Folder with the pages of the latest discovery page. */
  set: string;
  shardSize: number;
  /** Category that the pipeline assigns to its models. Models of another category are not reused. */
  category: string | null;
  /** Id of the listed location, with its tables. */
  location?: string;
  /** Connector of the listed files. Absent if assets are not files. */
  sources?: string;
  /** Hash of the run's parameters, which may decide what a grid contains. */
  parametersHash?: string;
  refusedPages: number;
  /** Sums of all discovery pages so far. */
  discovery: Discovery;
  /** Absent if one discovery page contains everything. */
  continuation?: Continuation;
}

export function partsOf({
  set,
  refusedPages,
  discovery,
  continuation,
}: RunAssetsHead): AttemptPages[] {
  return continuation?.parts ?? [{ set, pages: discovery.pages, refusedPages, keyPages: 0 }];
}

export function createPagesFolderName(): string {
  return randomBytes(6).toString('hex');
}

export class RunAssetsHeads {
  readonly #heads: JsonFolder<RunAssetsHead>;
  /** Keys that a discovery page has assigned, including those of unchanged assets, as `encodeTakenKey` writes them. */
  readonly #keys: JsonFolder<{ keys: string[] }>;
  /** Heads never change, so the newest known one is cached. */
  #newestEntry: { number: number; head: RunAssetsHead } | null = null;
  #reading: Promise<RunAssetsHead | null> | null = null;

  /** @param folder folder of the run */
  constructor(objects: JsonObjects, folder: string) {
    this.#heads = headsIn(objects, folder);
    this.#keys = new JsonFolder(objects, `${folder}/listed`, 'renderline/discovery-page-keys/v1');
  }

  /** Checks the location itself, even if the head is cached. */
  isStored(): Promise<boolean> {
    return this.#heads.exists(nameOf(0));
  }

  missingError(subject: string): ConnectorError {
    return this.#heads.missingError(nameOf(0), subject);
  }

  async read(discoveryPage: number): Promise<RunAssetsHead | null> {
    if (this.#newestEntry?.number === discoveryPage) return this.#newestEntry.head;
    const head = await this.#heads.read(nameOf(discoveryPage));
    if (head && discoveryPage >= (this.#newestEntry?.number ?? 0))
      this.#newestEntry = { number: discoveryPage, head };
    return head;
  }

  /** Returns the cached head if `isEnough` accepts it, otherwise the newest head. Null before the first one. */
  async latest(
    isEnough: (head: RunAssetsHead) => boolean = isLastHead,
  ): Promise<RunAssetsHead | null> {
    const cachedHead = this.#newestEntry?.head;
    if (cachedHead && (isLastHead(cachedHead) || isEnough(cachedHead))) return cachedHead;
    this.#reading ??= this.#readNewest().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Creates a head. If another worker has created the head first, returns that head. */
  async create(discoveryPage: number, head: RunAssetsHead): Promise<RunAssetsHead> {
    const outcome = await this.#heads.write(nameOf(discoveryPage), head, { ifAbsent: true });
    return outcome === 'written' ? head : ((await this.read(discoveryPage)) ?? head);
  }

  /** Stores the keys that a discovery page has assigned. Returns the number of stored pages. */
  writeKeys(set: string, keys: readonly string[]): Promise<number> {
    return writeParts(keys, (part, page) => this.#keys.write(keysName(set, page), { keys: part }));
  }

  async *keysOf({
    set,
    keyPages,
  }: Pick<AttemptPages, 'set' | 'keyPages'>): AsyncGenerator<string[]> {
    for (let page = 0; page < keyPages; page += 1) {
      const name = keysName(set, page);
      const keysPage = await this.#keys.read(name);
      if (!keysPage) throw this.#keys.missingError(name, 'the list of keys of a discovery page');
      yield keysPage.keys;
    }
  }

  async #readNewest(): Promise<RunAssetsHead | null> {
    const first = await this.read(0);
    if (first === null || isLastHead(first)) return first;
    const names = await this.#heads.names(pagesFolder);
    const numbers = names.map((name) => Number.parseInt(name.slice(pagesFolder.length + 1), 10));
    return this.read(Math.max(0, ...numbers));
  }
}

function headsIn(objects: JsonObjects, folder: string): JsonFolder<RunAssetsHead> {
  return new JsonFolder(objects, `${folder}/manifest`, 'renderline/manifest/v1');
}

function nameOf(discoveryPage: number): string {
  return discoveryPage === 0 ? 'index' : `${pagesFolder}/${numberName(discoveryPage, 6)}`;
}

function keysName(set: string, page: number): string {
  return `${set}-${numberName(page, 4)}`;
}

function isLastHead({ discovery }: RunAssetsHead): boolean {
  return discovery.nextDiscoveryPage === undefined;
}

/**
 * Returns the run of a list of run assets and the folders with its valid pages. Null before the first head exists.
 * @param folder folder of the run
 * @param paths all paths in it, relative to it
 */
export async function findRunAssetsPages(
  objects: JsonObjects,
  folder: string,
  paths: readonly string[],
): Promise<{ run: string; sets: ReadonlySet<string> } | null> {
  const numbers = paths.flatMap(
    (path) => /^manifest\/discovery-pages\/(\d+)\.json$/.exec(path)?.[1] ?? [],
  );
  const head = await headsIn(objects, folder).read(nameOf(Math.max(0, ...numbers.map(Number))));
  return head && { run: head.run, sets: new Set(partsOf(head).map(({ set }) => set)) };
}
