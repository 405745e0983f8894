// Names the asset of each delivered file, in all runs of a pipeline: a name that two assets would take stays with
// the first, whichever worker delivers the other. Pages are numbered without a gap and each is created
// conditionally, so who writes one has read all before it, and the first page with a name decides.
import { foldPath } from '../../language/naming.ts';
import type { JsonObjects } from '../objects/json-objects.ts';

const folder = 'paths';
const schema = 'renderline/paths/v1';
/** A worker that has seen none of a long list reads many at once. */
const readAtOnce = 32;

export interface TakenPath {
  /** Destination, as its connector describes it. */
  place: string;
  path: string;
  key: string;
  /** Key of the same source before it was moved, whose names become its own. */
  from?: string;
}

interface Page {
  schema: typeof schema;
  taken: TakenPath[];
}

export class TakenPaths {
  readonly #objects: JsonObjects;
  readonly #keys = new Map<string, string>();
  /** By names as the strictest file system compares them: pages of earlier versions may give one to two assets. */
  readonly #strict = new Map<string, string>();
  #pagesKnown = 0;

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  /** The key that each path belongs to from now on, in the same order. Safe when it runs twice. */
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

  /** The key that a path belongs to; undefined where it is nobody's. */
  async holder(of: Omit<TakenPath, 'key'>): Promise<string | undefined> {
    await this.#readFrom(this.#pagesKnown);
    return this.#holderOf(of);
  }

  #holderOf(wish: Omit<TakenPath, 'key'>): string | undefined {
    return this.#keys.get(identityOf(wish)) ?? this.#strict.get(strictOf(wish));
  }

  /** All pages from this one on. */
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

/** File systems differ in which names they tell apart. */
function identityOf({ place, path }: Omit<TakenPath, 'key'>): string {
  return `${place}\n${path.normalize('NFC').toLowerCase()}`;
}

function strictOf({ place, path }: Omit<TakenPath, 'key'>): string {
  return `${place}\n${foldPath(path)}`;
}
