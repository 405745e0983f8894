// Detects a list that does not end while it is being read page by page. Pure.
import { ResponseShapeError } from '../errors/errors.ts';

/** Maximum number of items of a list. A longer one is refused. */
export const maxListItems = 1_000_000;
/** Number of pages of a hundred items that hold `maxListItems`. */
export const maxPages = 10_000;
/** Number of pages allowed for items added during the reading, in addition to twice the announced number of pages. */
const maxExtraPages = 100;
/** Maximum number of consecutive pages with only known items. New items may have pushed known items to later pages. */
const maxStalePages = 2;
/** More such pages are accepted if they are small, that is, if fewer items than this were requested in total. */
const minStaleItems = 100;

interface PageRead {
  items: number;
  /** True if the page had a new item or was deliberately read again. */
  isNew: boolean;
  total: number | undefined;
}

export class ListBounds {
  readonly #operation: string;
  readonly #limit: number;
  #pages = 0;
  #items = 0;
  #staleCount = 0;
  #pageSize = 1;
  #announced: number | undefined;

  constructor(operation: string, limit: number) {
    this.#operation = operation;
    this.#limit = limit;
  }

  /** Records a page. @throws ResponseShapeError if the list does not seem to end */
  recordPage({ items, isNew, total }: PageRead): void {
    this.#pages += 1;
    this.#items += items;
    this.#announced ??= total;
    this.#staleCount = isNew || items === 0 ? 0 : this.#staleCount + 1;
    const announced = this.#announced ?? maxListItems;
    if (announced > maxListItems) this.#fail(`the list claims to have ${announced} items`);
    const isStale = this.#staleCount * this.#limit >= minStaleItems;
    if (isStale && this.#staleCount > maxStalePages) {
      this.#fail(`${this.#staleCount} consecutive pages had nothing new`);
    }
    // Some platforms return fewer items per page than requested.
    this.#pageSize = Math.max(this.#pageSize, items);
    const pages = Math.min(Math.ceil(announced / this.#pageSize), maxPages);
    if (this.#pages >= 2 * pages + maxExtraPages) this.#fail('the list does not end');
  }

  /** @throws ResponseShapeError */
  failMissingList(listName: string): never {
    return this.#fail(`a page has no list of ${listName}`);
  }

  /** @throws ResponseShapeError if items of the page were unreadable */
  assertAllRead(items: unknown[] & { unread?: number }): void {
    const { unread = 0 } = items;
    if (unread > 0) this.#fail(`a page has unreadable items: ${unread}`);
  }

  /** @throws ResponseShapeError if the list ended before the announced number of items */
  assertComplete(itemsRead: number, total = 0): void {
    // Items added in the meantime are at the top and need not have been read.
    const minCount = Math.min(total, this.#announced ?? total);
    if (itemsRead < minCount) this.#fail(`the list ended after ${itemsRead} of ${minCount} items`);
  }

  #fail(problem: string): never {
    const announced = this.#announced === undefined ? '' : `; announced items: ${this.#announced}`;
    const notePage = `items read so far: ${this.#items}; pages: ${this.#pages}${announced}`;
    throw new ResponseShapeError(this.#operation, 200, '', `${problem}; ${notePage}`);
  }
}
