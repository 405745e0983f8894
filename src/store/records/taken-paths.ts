// Which asset owns each delivered file name, in all runs of a pipeline. If two assets want the same name, the first one
// gets it, whichever worker delivers the other. Pages have consecutive numbers and are created conditionally: a worker that
// writes a page has read all pages before it, and the first page with a name decides.
import { foldPath } from '../../language/naming.ts';
import type { JsonObjects } from '../objects/json-objects.ts';

const folder = 'paths';
const schema = 'renderline/paths/v1';
/** A worker that knows none of a long list reads many pages at once. */
const readAtOnce = 32;

export interface TakenPath {
  /** Destination, as its connector describes it. */
  place: string;
  path: string;
  key: string;
  /** Previous key of a moved source, whose file names it takes over. */
  from?: string;
}

interface Page {
  schema: typeof schema;
  taken: TakenPath[];
}

export class TakenPaths {
  readonly #objects: JsonObjects;
  readonly #keys = new Map<string, string>();
  /**
   * By names as the strictest file system compares them. Pages of earlier versions may give one such name to two assets.
   */
  readonly #strict = new Map<string, string>();
  #pagesKnown = 0;

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  /** Claims paths. Returns the owning key of each path, in the same order. Safe to repeat. */
  async take(wishes: readonly TakenPath[]): Promise<string[]> {
    for (;;) {
      const open = wishes.filter((wish) => {
        const holder = this.#holderOf(wish);
        return holder === undefined || holder === wish.from;
      });
      if (open.length === 0) return wishes.map((wish) => this.#holderOf(wish) ?? '');
      const taken = [...new Map(open.toReversed().map((wish) => [strictOf(wish), wish])).values()];
      const number = this.#pagesKnown;
      const page: Page = { schema, taken };
      const answer = await this.#objects.write(pathOf(number), page, { ifAbsent: true });
      if (answer === 'written') this.#learn(number, page);
      else await this.#readFrom(number);
    }
  }

  /** The key that owns a path; undefined if the path is free. */
  async holder(of: Omit<TakenPath, 'key'>): Promise<string | undefined> {
    await this.#readFrom(this.#pagesKnown);
    return this.#holderOf(of);
  }

  #holderOf(wish: Omit<TakenPath, 'key'>): string | undefined {
    return this.#keys.get(identityOf(wish)) ?? this.#strict.get(strictOf(wish));
  }

  /** Reads all pages from this number on. */
  async #readFrom(first: number): Promise<void> {
    for (
      let number = first, count = 1;
      ;
      number += count, count = Math.min(count * 2, readAtOnce)
    ) {
      const numbers = Array.from({ length: count }, (_, index) => number + index);
      const read = (page: number) => this.#objects.read<Page>(pathOf(page), schema);
      const pages = await Promise.all(numbers.map(read));
      for (const [index, page] of pages.entries()) {
        if (page === null) return;
        this.#learn(number + index, page);
      }
    }
  }

  #learn(number: number, { taken }: Page): void {
    for (const one of taken) {
      const [identity, strict] = [identityOf(one), strictOf(one)];
      const before = this.#holderOf(one);
      if (before !== undefined && before === one.from) {
        this.#keys.set(identity, one.key);
        this.#strict.set(strict, one.key);
      }
      if (!this.#keys.has(identity)) this.#keys.set(identity, one.key);
      if (!this.#strict.has(strict)) this.#strict.set(strict, one.key);
    }
    this.#pagesKnown = Math.max(this.#pagesKnown, number + 1);
  }
}

function pathOf(number: number): string {
  return `${folder}/${String(number).padStart(5, '0')}.json`;
}

/** Compares paths without case, since file systems differ in which names they tell apart. */
function identityOf({ place, path }: Omit<TakenPath, 'key'>): string {
  return `${place}\n${path.normalize('NFC').toLowerCase()}`;
}

function strictOf({ place, path }: Omit<TakenPath, 'key'>): string {
  return `${place}\n${foldPath(path)}`;
}
