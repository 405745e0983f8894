// The order of names that listings from a cursor have: that of their UTF-8 bytes, as object stores list.

/** Negative where `one` comes first; surrogates, which stand for the highest characters, come last. */
export function compareNames(one: string, other: string): number {
  const shared = Math.min(one.length, other.length);
  for (let at = 0; at < shared; at += 1) {
    const [unit, otherUnit] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (unit !== otherUnit) return rankOf(unit) - rankOf(otherUnit);
  }
  return one.length - other.length;
}

/** True where a name is not behind another, by UTF-8 nor by UTF-16, which some stores sort by: else it may be unlisted yet. */
export function isNotBehind(name: string, other: string): boolean {
  return compareNames(name, other) <= 0 && name <= other;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Something of a folder, by where it comes in the order: a folder has a slash at the end of its path. */
export interface Placed {
  place: string;
}

/** Most names of one folder that are held: a larger folder is read again from where these end. */
const namesAtOnce = 50_000;

/** Chooses the first of a folder in order, however many there are, holding twice that at most. */
export class FirstInOrder<Item extends Placed> {
  readonly #after: string;
  readonly #from: string;
  readonly #limit: number;
  #items: Item[] = [];
  #isCut = false;

  /**
   * @param after path of the last file that was listed, '' for none
   * @param from place of the last item that was chosen of this folder, '' for none
   */
  constructor(after: string, from: string, limit = namesAtOnce) {
    this.#after = after;
    this.#from = from;
    this.#limit = limit;
  }

  /** False for what was chosen before. */
  wants(place: string): boolean {
    // A folder on the way to the cursor has files behind it.
    const holdsCursor = place.endsWith('/') && this.#after.startsWith(place);
    const isAhead = holdsCursor || compareNames(place, this.#after) > 0;
    return isAhead && compareNames(place, this.#from) > 0;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#limit) this.#cut();
  }

  /** `isCut`: the folder has more behind these. */
  take(): { items: Item[]; isCut: boolean } {
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
    this.#items.sort((one, other) => compareNames(one.place, other.place));
  }
}
