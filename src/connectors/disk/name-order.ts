// The order of names in listings with a cursor: by UTF-8 bytes, as object stores list them.

/** Negative if `one` comes first. Surrogates sort last, because they encode the highest characters. */
export function compareNames(one: string, other: string): number {
  const shared = Math.min(one.length, other.length);
  for (let index = 0; index < shared; index += 1) {
    const [unit, otherUnit] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (unit !== otherUnit) return rankOf(unit) - rankOf(otherUnit);
  }
  return one.length - other.length;
}

/** True if a listing up to `other` includes `name`, by UTF-8 and also by UTF-16 order, which some stores use. */
export function isAtOrBefore(name: string, other: string): boolean {
  return compareNames(name, other) <= 0 && name <= other;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** An entry of a folder, sorted by `orderPath`: its path, with a slash at the end for folders. */
export interface OrderedItem {
  orderPath: string;
}

/** Maximum number of names taken from one folder at once; a larger folder is read again from the last name. */
const maxNamesInMemory = 50_000;

/** Collects the first entries of a folder in order, with at most twice the limit in memory. */
export class EntryWindow<Item extends OrderedItem> {
  readonly #after: string;
  readonly #from: string;
  readonly #limit: number;
  #items: Item[] = [];
  #isCut = false;

  /**
   * @param after path of the last listed file, '' for none
   * @param from `orderPath` of the last entry taken from this folder, '' for none
   */
  constructor(after: string, from: string, limit = maxNamesInMemory) {
    this.#after = after;
    this.#from = from;
    this.#limit = limit;
  }

  /** False for entries that were listed or taken before. */
  isPending(orderPath: string): boolean {
    // A folder that contains the cursor may have files after the cursor.
    const holdsCursor = orderPath.endsWith('/') && this.#after.startsWith(orderPath);
    const isAhead = holdsCursor || compareNames(orderPath, this.#after) > 0;
    return isAhead && compareNames(orderPath, this.#from) > 0;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#limit) this.#cut();
  }

  /** `isCut`: the folder has more entries after these. */
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
    this.#items.sort((one, other) => compareNames(one.orderPath, other.orderPath));
  }
}
