// Tracks which asset owns each delivered file name, in all runs of a pipeline. If two assets want the same name, the
// first asset owns the name until it releases it, whichever workers deliver the two. Paths are stored in pages that
// have consecutive numbers and are created conditionally. A worker reads all earlier pages before it writes one, and
// the first page with a name decides.
import { foldPath } from '../../language/naming/naming.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { numberName } from '../objects/object-name.ts';
import { splitByBytes } from '../objects/split-by-bytes.ts';

/** Maximum number of pages read concurrently, for a worker that has not read any page of a long list yet. */
const maxConcurrentReads = 32;

export interface PathOwner {
  /** Destination, as its connector describes it. */
  destination: string;
  path: string;
  /** Key of the owning asset. Empty if `previousKey` has released the path. */
  key: string;
  /** The owner that the path is taken over from. */
  previousKey?: string;
}

interface Page {
  taken: PathOwner[];
}

export class PathOwners {
  readonly #pages: JsonFolder<Page>;
  /** Owning asset keys, by destination and folded path (`foldPath`). */
  readonly #keys = new Map<string, string>();
  #pagesKnown = 0;

  constructor(objects: JsonObjects) {
    this.#pages = new JsonFolder(objects, 'paths', 'renderline/paths/v1');
  }

  /**
   * Claims paths. Returns the owning key of each path, in the same order. Safe to repeat. A call writes each path at
   * most once, because two requests may each specify the other as the previous owner.
   * @param released paths that their owners no longer need. Requests of the same call may get them
   */
  async claim(
    requests: readonly PathOwner[],
    released: readonly PathOwner[] = [],
  ): Promise<string[]> {
    const writtenIdentities = new Set<string>();
    for (;;) {
      const freePaths = released.flatMap(({ key, ...path }) => {
        const isHeld = this.#holderOf(path) === key && !writtenIdentities.has(identityOf(path));
        return isHeld ? [{ ...path, key: '', previousKey: key }] : [];
      });
      const freed = new Set(freePaths.map(identityOf));
      const openRequests = requests.filter((request) => {
        const identity = identityOf(request);
        if (writtenIdentities.has(identity)) return false;
        return freed.has(identity) || this.#isFreeFor(request);
      });
      if (openRequests.length + freePaths.length === 0)
        return requests.map((request) => this.#holderOf(request) ?? '');
      const lastFirst = openRequests.toReversed();
      const first = new Map(lastFirst.map((request) => [identityOf(request), request]));
      const owners = [...freePaths, ...first.values()];
      const number = this.#pagesKnown;
      const page = { taken: owners };
      const outcome = await this.#pages.write(numberName(number, 5), page, { ifAbsent: true });
      if (outcome === 'written') {
        this.#remember(number, page);
        for (const owner of owners) writtenIdentities.add(identityOf(owner));
      } else await this.#readFrom(number);
    }
  }

  /** Releases all paths of assets whose records are deleted. */
  async release(keys: ReadonlySet<string>): Promise<void> {
    await this.#readFrom(this.#pagesKnown);
    const released = [...this.#keys].flatMap(([identity, key]) => {
      const [destination = '', path = ''] = identity.split('\n');
      return keys.has(key) ? [{ destination, path, key }] : [];
    });
    for (const { items } of splitByBytes(released)) await this.claim([], items);
  }

  /** Returns the key that owns a path, or undefined if the path is free. */
  async ownerOf(request: Omit<PathOwner, 'key'>): Promise<string | undefined> {
    await this.#readFrom(this.#pagesKnown);
    return this.#holderOf(request) || undefined;
  }

  #holderOf(request: Omit<PathOwner, 'key'>): string | undefined {
    return this.#keys.get(identityOf(request));
  }

  #isFreeFor(request: PathOwner): boolean {
    const holder = this.#holderOf(request);
    return !holder || (holder === request.previousKey && holder !== request.key);
  }

  async #readFrom(first: number): Promise<void> {
    let number = first;
    for (let count = 1; ; count = Math.min(count * 2, maxConcurrentReads)) {
      const numbers = Array.from({ length: count }, (_, index) => number + index);
      const read = (page: number) => this.#pages.read(numberName(page, 5));
      const pages = await Promise.all(numbers.map(read));
      for (const page of pages) {
        if (page === null) return;
        this.#remember(number, page);
        number += 1;
      }
    }
  }

  #remember(number: number, { taken }: Page): void {
    for (const owner of taken)
      if (this.#isFreeFor(owner)) this.#keys.set(identityOf(owner), owner.key);
    this.#pagesKnown = Math.max(this.#pagesKnown, number + 1);
  }
}

function identityOf({ destination, path }: Omit<PathOwner, 'key'>): string {
  return `${destination}\n${foldPath(path)}`;
}
