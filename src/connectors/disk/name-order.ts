// The order of names in listings with a cursor. Names are ordered by UTF-8 bytes, as in the listings of object stores.

/** Negative if `a` comes first. Surrogates sort last, because they encode the highest characters. */
export function compareNames(a: string, b: string): number {
  const minLength = Math.min(a.length, b.length);
  for (let index = 0; index < minLength; index += 1) {
    const [unitA, unitB] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (unitA !== unitB) return rankOf(unitA) - rankOf(unitB);
  }
  return a.length - b.length;
}

/** True if a listing up to `other` includes `name`, both in UTF-8 order and in the UTF-16 order of some stores. */
export function isNameAtOrBefore(name: string, other: string): boolean {
  return compareNames(name, other) <= 0 && name <= other;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Maximum number of names read from a folder at once. In a larger folder, reading restarts after the last name. */
const maxNamesInMemory = 50_000;

/**
 * Collects the first entries of a folder, with at most twice the limit in memory. They are sorted by `orderPath`, which
 * is the path, with a slash at the end for folders.
 */
export class EntryWindow<Item extends { orderPath: string }> {
  readonly #cursor: string;
  readonly #lastTakenPath: string;
  readonly #limit: number;
  #items: Item[] = [];
  #isCut = false;

  /**
   * @param cursor path of the last listed file, or '' if there is none
   * @param lastTakenPath `orderPath` of the last entry taken from this folder, or ''
   */
  constructor(cursor: string, lastTakenPath: string, limit = maxNamesInMemory) {
    this.#cursor = cursor;
    this.#lastTakenPath = lastTakenPath;
    this.#limit = limit;
  }

  /** False for entries that have already been listed or taken. */
  isPending(orderPath: string): boolean {
    // A folder that contains the cursor may have files after the cursor.
    const holdsCursor = orderPath.endsWith('/') && this.#cursor.startsWith(orderPath);
    const isAhead = holdsCursor || compareNames(orderPath, this.#cursor) > 0;
    return isAhead && compareNames(orderPath, this.#lastTakenPath) > 0;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#limit) this.#cut();
  }

  /** Returns the entries. `isCut` is true if the folder contains more entries after these. */
  finish(): { items: Item[]; isCut: boolean } {
    if (this.#items.length > this.#limit) this.#cut();
    else this.#sort();
    return { items: this.#items, isCut: this.#isCut };
  }

  #cut(): void {
    this.#sort();
    this.#items.length = this.#limit;
    this.#isCut = true;
  }

  #sort(): void {
    this.#items.sort((a, b) => compareNames(a.orderPath, b.orderPath));
  }
}
