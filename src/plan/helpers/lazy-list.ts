// Lists that are read item by item, because a run may have more items than fit into memory.

/** A list whose items are read on each iteration. */
export class LazyList<Item> implements AsyncIterable<Item> {
  readonly length: number;
  readonly #read: () => AsyncIterable<Item>;

  /** @param length number of items. Further items, which were added since, are not read */
  constructor(length: number, read: () => AsyncIterable<Item>) {
    this.length = length;
    this.#read = read;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    if (this.length === 0) return;
    let count = 0;
    for await (const item of this.#read()) {
      yield item;
      count += 1;
      if (count === this.length) return;
    }
  }

  /** @throws TypeError always, because `JSON.stringify` would leave out the items. `toJsonPieces` writes them */
  toJSON(): never {
    throw new TypeError('A lazy list cannot be converted to JSON at once.');
  }
}

export type List<Item> = readonly Item[] | LazyList<Item>;

/** Reads the items from `start` up to, but not including, `end`. */
export async function readRange<Item>(
  list: List<Item>,
  start = 0,
  end = list.length,
): Promise<Item[]> {
  if (!(list instanceof LazyList)) return list.slice(start, end);
  const items: Item[] = [];
  let index = 0;
  for await (const item of list) {
    if (index >= end) break;
    if (index >= start) items.push(item);
    index += 1;
  }
  return items;
}
