// Finds which of several globs match a text, in one pass, with a lazily built automaton. The states computed for one
// text are cached for the next, as linear-time regular expression engines do. Total work and cache size are bounded.
import { commandFailures } from '../failures/commands.ts';
import { foldOf, type GlobOptions, type GlobPart, readGlob } from './read-glob.ts';

/** Longer texts match no glob. */
export const longestName = 4_096;
/** Maximum number of states visited for all texts together. */
export const mostGlobSteps = 5_000_000;
/** Maximum number of cached entries, after which the cache is cleared. */
const mostKept = 500_000;

/** The globs needed more work on these texts than any legitimate use. */
export class GlobWorkError extends Error {
  override name = 'GlobWorkError';
  readonly failure = commandFailures.GLOB;

  againAfterMs(): null {
    return null;
  }
}

/** A state of the automaton: a character test with its successors, or successors that take no character. */
interface Place {
  takes: ((char: string) => boolean) | null;
  next: number[];
  /** Index of the glob that ends here. */
  ends: number | null;
}

/** All states that a text may have reached. */
interface Reached {
  places: readonly number[];
  ends: readonly number[];
  onward: Map<string, Reached>;
}

export class GlobSet {
  readonly #fold: (char: string) => string;
  readonly #places: Place[] = [];
  readonly #starts: number[];
  #known = new Map<string, Reached>();
  #first: Reached;
  #kept = 0;
  #steps = 0;
  /** For each state, the number of the last closure that reached it. */
  readonly #reachedAt: Uint32Array;
  #times = 0;

  /** @throws TypeError for a glob that `refuseGlob` refuses */
  constructor(globs: readonly string[], options: GlobOptions) {
    this.#fold = foldOf(options);
    this.#starts = globs.map((glob, index) => {
      const read = readGlob(glob.normalize('NFC'), options);
      if (!('parts' in read)) throw new TypeError(`the glob "${glob}" ${read.reason}`);
      const end = this.#add({ takes: null, next: [], ends: index });
      return this.#build(read.parts, end);
    });
    this.#reachedAt = new Uint32Array(this.#places.length);
    this.#first = this.#reach(this.#starts);
  }

  /** Work for all texts so far, apart from reading each character once. */
  get steps(): number {
    return this.#steps;
  }

  /** True if any glob matches. @throws GlobWorkError */
  fits(text: string): boolean {
    return this.matching(text).length > 0;
  }

  /** Indexes of the globs that match. The encoding of accents makes no difference. @throws GlobWorkError */
  matching(text: string): readonly number[] {
    if (text.length > longestName) return [];
    let reached = this.#first;
    for (const one of text.normalize('NFC')) {
      if (reached.places.length === 0) return [];
      const char = this.#fold(one);
      reached = reached.onward.get(char) ?? this.#step(reached, char);
    }
    return reached.ends;
  }

  #step(from: Reached, char: string): Reached {
    const next: number[] = [];
    for (const at of from.places) {
      const place = this.#places[at];
      if (place?.takes?.(char) === true) next.push(...place.next);
    }
    this.#pay(from.places.length);
    if (this.#kept > mostKept) {
      this.#known = new Map();
      this.#kept = 0;
      this.#first = this.#reach(this.#starts);
    }
    const reached = this.#reach(next);
    from.onward.set(char, reached);
    this.#kept += 1;
    return reached;
  }

  /** Follows all transitions that take no character. */
  #reach(from: readonly number[]): Reached {
    const waiting = [...from];
    const places: number[] = [];
    const ends: number[] = [];
    this.#times += 1;
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const place = this.#places[at];
      if (place === undefined || this.#reachedAt[at] === this.#times) continue;
      this.#reachedAt[at] = this.#times;
      if (place.takes !== null) places.push(at);
      else waiting.push(...place.next);
      if (place.ends !== null) ends.push(place.ends);
    }
    this.#pay(places.length + 1);
    ends.sort((a, b) => a - b);
    const name = `${places.join()}|${ends.join()}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const reached: Reached = { places, ends, onward: new Map() };
    this.#known.set(name, reached);
    this.#kept += places.length + ends.length + 1;
    return reached;
  }

  #pay(steps: number): void {
    this.#steps += steps;
    if (this.#steps <= mostGlobSteps) return;
    throw new GlobWorkError(
      'the globs take too long on these names; use fewer of them, or fewer stars in them',
    );
  }

  /** Builds the states of some parts, in front of the state `after`. */
  #build(parts: readonly GlobPart[], after: number): number {
    return parts.reduceRight((next, part) => {
      if (part.kind === 'one') return this.#add({ takes: part.takes, next: [next], ends: null });
      if (part.kind === 'choice') {
        const ways = part.ways.map((way) => this.#build(way, next));
        return this.#add({ takes: null, next: ways, ends: null });
      }
      const around: Place = { takes: null, next: [next], ends: null };
      const begin = this.#add(around);
      around.next.push(this.#add({ takes: part.takes, next: [begin], ends: null }));
      return begin;
    }, after);
  }

  #add(place: Place): number {
    return this.#places.push(place) - 1;
  }
}
