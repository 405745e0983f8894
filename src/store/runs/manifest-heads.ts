// The chain of heads of a manifest: one for each stretch of the listing, made once, which makes the pages before it
// valid. The first head is the index; for most runs it is the only one.
import { randomBytes } from 'node:crypto';
import type { Discovery } from '../../plan/contract.ts';
import { byteParts } from '../objects/byte-parts.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import type { ManifestAsset } from './manifest-asset.ts';

const headSchema = 'renderline/manifest/v1';
/** A head with others behind it: who knows only the first form must stop, not take it for all that there is. */
const onwardSchema = 'renderline/manifest/v2';
const keysSchema = 'renderline/stretch-keys/v1';
const stretches = 'manifest/stretches';

/** Pages that one stretch has written, in a folder of their own: two discoveries at once never mix theirs. */
export interface Part {
  set: string;
  /** Pages of assets of this stretch and all before it. */
  pages: number;
  refusedPages: number;
  /** Pages of the keys that it has given. */
  keyPages: number;
}

/** What a listing that goes on needs to know of what was listed. */
interface Onward {
  /** Path of the last file. */
  after: string;
  /** Open assets that fill no page yet. */
  rest: ManifestAsset[];
  parts: Part[];
}

export interface ManifestHead {
  schema: typeof headSchema | typeof onwardSchema;
  run: string;
  /** Absent: the run itself. */
  lineage?: string;
  /** Folder of the pages, of the latest stretch. */
  set: string;
  shardSize: number;
  /** Category that the pipeline gives its models; models of another category are not reused. */
  category: string | null;
  /** Mark of the place that was listed; absent of versions before, and where assets are no files. */
  place?: string;
  refusedPages: number;
  /** Of all stretches so far. */
  discovery: Discovery;
  /** Absent where one stretch found all. */
  onward?: Onward;
}

/** Keys that a stretch has given, also of what is unchanged. */
interface StretchKeys {
  schema: typeof keysSchema;
  /** As the listing writes them. */
  keys: string[];
}

export function partsOf({ set, refusedPages, discovery, onward }: ManifestHead): Part[] {
  return onward?.parts ?? [{ set, pages: discovery.pages, refusedPages, keyPages: 0 }];
}

export function newSet(): string {
  return randomBytes(6).toString('hex');
}

export class ManifestHeads {
  readonly #objects: JsonObjects;
  readonly #folder: string;
  /** Heads never change. */
  #newest: { number: number; head: ManifestHead } | null = null;
  #reading: Promise<ManifestHead | null> | null = null;

  /** @param folder of the run */
  constructor(objects: JsonObjects, folder: string) {
    this.#objects = objects;
    this.#folder = folder;
  }

  /** Path of a head, below the pipeline's folder. */
  pathOf(stretch: number): string {
    if (stretch === 0) return `${this.#folder}/manifest/index.json`;
    return `${this.#folder}/${stretches}/${String(stretch).padStart(6, '0')}.json`;
  }

  /** That of one stretch; null before it is made. */
  async at(stretch: number): Promise<ManifestHead | null> {
    if (this.#newest?.number === stretch) return this.#newest.head;
    const head = await readHead(this.#objects, this.pathOf(stretch));
    if (head && stretch >= (this.#newest?.number ?? 0)) this.#newest = { number: stretch, head };
    return head;
  }

  /** The first that is enough for the question, or the newest that there is; null before the first one is made. */
  async latest(isEnough: (head: ManifestHead) => boolean = isLast): Promise<ManifestHead | null> {
    const known = this.#newest?.head;
    if (known && (isLast(known) || isEnough(known))) return known;
    this.#reading ??= this.#readNewest().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Of many who make the head of a stretch, the first one's stands. */
  async make(stretch: number, head: Omit<ManifestHead, 'schema'>): Promise<ManifestHead> {
    const made: ManifestHead = { schema: head.onward ? onwardSchema : headSchema, ...head };
    const path = this.pathOf(stretch);
    const answer = await this.#objects.write(path, made, { ifAbsent: true });
    const first = answer === 'written' ? null : await this.at(stretch);
    return first ?? made;
  }

  /** Answers the number of pages. */
  async keepKeys(set: string, keys: readonly string[]): Promise<number> {
    let pages = 0;
    for (const { items } of byteParts(keys)) {
      const value: StretchKeys = { schema: keysSchema, keys: items };
      await this.#objects.write(this.#keysPath(set, pages), value);
      pages += 1;
    }
    return pages;
  }

  /** A page at a time. */
  async *keysOf({ set, keyPages }: Pick<Part, 'set' | 'keyPages'>): AsyncGenerator<string[]> {
    for (let page = 0; page < keyPages; page += 1) {
      const path = this.#keysPath(set, page);
      const found = await this.#objects.read<StretchKeys>(path, keysSchema);
      if (!found) throw this.#objects.gone(path, 'what a run has listed so far');
      yield found.keys;
    }
  }

  async #readNewest(): Promise<ManifestHead | null> {
    const first = await this.at(0);
    if (first === null || isLast(first)) return first;
    const names = await this.#objects.names(`${this.#folder}/${stretches}`);
    const numbers = names.map((name) => Number.parseInt(name, 10));
    const newest = numbers.reduce((most, number) => Math.max(most, number), 0);
    return this.at(newest);
  }

  #keysPath(set: string, page: number): string {
    return `${this.#folder}/listed/${set}-${String(page).padStart(4, '0')}.json`;
  }
}

function readHead(objects: JsonObjects, path: string): Promise<ManifestHead | null> {
  return objects.read<ManifestHead>(path, headSchema, onwardSchema);
}

function isLast({ discovery }: ManifestHead): boolean {
  return discovery.next === undefined;
}

/**
 * Whose manifest lies in the folder of a run, and which of its folders have pages; null before the first was made.
 * @param paths all that lies in the folder, relative to it
 */
export async function manifestOf(
  objects: JsonObjects,
  folder: string,
  paths: readonly string[],
): Promise<{ run: string; sets: ReadonlySet<string> } | null> {
  const newest = paths
    .filter((path) => path.startsWith(`${stretches}/`))
    .sort()
    .at(-1);
  const path = `${folder}/${newest ?? 'manifest/index.json'}`;
  const head = await readHead(objects, path);
  return head && { run: head.run, sets: new Set(partsOf(head).map(({ set }) => set)) };
}
