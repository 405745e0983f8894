// Detects a list that does not end while it is read page by page. Pure.
import { ResponseShapeError } from './errors.ts';

/** Ten times the maximum of a run; a longer list is refused. */
export const itemsAtMost = 1_000_000;
/** The number of pages of a hundred items that hold that many. */
export const pagesAtMost = 10_000;
/** Pages allowed for items that are added during the reading, in addition to twice the announced pages. */
const pagesMore = 100;
/** One or two pages may repeat known items, if new items were added meanwhile. */
const stalePagesAtMost = 2;
/** Small pages may repeat until they could hold this many items. */
const staleItemsAtLeast = 100;

interface PageRead {
  items: number;
  /** True if the page had a new item, or was read again on purpose. */
  isNews: boolean;
  total: number | undefined;
}

export class ListBounds {
  readonly #operation: string;
  readonly #limit: number;
  #pages = 0;
  #items = 0;
  #stale = 0;
  #pageSize = 1;
  #said: number | undefined;

  constructor(operation: string, limit: number) {
    this.#operation = operation;
    this.#limit = limit;
  }

  /** Notes a page. @throws ResponseShapeError if the list does not seem to end */
  read({ items, isNews, total }: PageRead): void {
    this.#pages += 1;
    this.#items += items;
    this.#said ??= total;
    this.#stale = isNews || items === 0 ? 0 : this.#stale + 1;
    const said = this.#said ?? itemsAtMost;
    if (said > itemsAtMost) this.#refuse(`it claims to have ${said} items`);
    const isStale = this.#stale * this.#limit >= staleItemsAtLeast;
    if (isStale && this.#stale > stalePagesAtMost) {
      this.#refuse(`${this.#stale} pages one after the other had nothing new`);
    }
    // Some platforms give fewer items per page than requested.
    this.#pageSize = Math.max(this.#pageSize, items);
    const pages = Math.min(Math.ceil(said / this.#pageSize), pagesAtMost);
    if (this.#pages >= 2 * pages + pagesMore) this.#refuse('it does not end');
  }

  /** @throws ResponseShapeError */
  refuseNone(listName: string): never {
    return this.#refuse(`a page has no list of ${listName}`);
  }

  /** @throws ResponseShapeError if items of the page were unreadable */
  refuseUnread(items: unknown[] & { unread?: number }): void {
    const { unread = 0 } = items;
    if (unread > 0) this.#refuse(`${unread} of the items of a page cannot be read`);
  }

  /** @throws ResponseShapeError if the list ended before it had given the announced number of items */
  refuseMissing(given: number, total = 0): void {
    // Items that were added meanwhile are at the top, and need not have been read.
    const least = Math.min(total, this.#said ?? total);
    if (given < least) this.#refuse(`it ended after ${given} of ${least} items`);
  }

  #refuse(problem: string): never {
    const said = this.#said === undefined ? '' : `; ${this.#said} were announced`;
    const read = `read so far: ${this.#items} items on ${this.#pages} pages${said}`;
    throw new ResponseShapeError(this.#operation, 200, '', `${problem}; ${read}`);
  }
}
