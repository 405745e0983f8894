// Which asset each delivered file of a run belongs to: a name that two assets would take is given to one of them,
// whichever worker delivers the other. Pages are numbered without a gap and each is created conditionally, so who
// writes one has read all before it, and the first page with a name decides.
import type { JsonObjects } from './json-objects.ts';
import { encodeKey } from './object-name.ts';

const schema = 'renderline/paths/v1';

export interface TakenPath {
  /** Destination, as its connector describes it. */
  place: string;
  path: string;
  key: string;
}

interface Page {
  schema: typeof schema;
  taken: TakenPath[];
}

export class TakenPaths {
  readonly #objects: JsonObjects;
  readonly #folder: string;
  readonly #keys = new Map<string, string>();
  #pagesRead = 0;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/paths`;
  }

  /** The key that each path belongs to from now on, in the same order. Safe when it runs twice. */
  async take(wishes: readonly TakenPath[]): Promise<string[]> {
    for (;;) {
      const taken = wishes.filter((wish) => !this.#keys.has(identityOf(wish)));
      if (taken.length === 0) return wishes.map((wish) => this.#keys.get(identityOf(wish)) ?? '');
      const number = this.#pagesRead;
      const path = `${this.#folder}/${String(number).padStart(5, '0')}.json`;
      const answer = await this.#objects.write(path, { schema, taken } as Page, { ifAbsent: true });
      const page = answer === 'written' ? { taken } : await this.#read(path);
      for (const one of page?.taken ?? []) {
        if (!this.#keys.has(identityOf(one))) this.#keys.set(identityOf(one), one.key);
      }
      // Another call may have read the page meanwhile.
      if (page) this.#pagesRead = Math.max(this.#pagesRead, number + 1);
    }
  }

  #read(path: string): Promise<Page | null> {
    return this.#objects.read<Page>(path, schema);
  }
}

/** File systems differ in which names they tell apart. */
function identityOf({ place, path }: TakenPath): string {
  return `${place}\n${path.normalize('NFC').toLowerCase()}`;
}
