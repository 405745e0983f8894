// Finds which of several globs match a text, in one pass, with a lazily built automaton. The states computed for one
// text are cached for the next, as linear-time regular expression engines do. Total work and cache size are bounded.
import { commandFailures } from '../failures/commands.ts';
import { foldOf, type GlobOptions, type GlobPart, parseGlob } from './read-glob.ts';

/** Longer strings match no glob. */
export const maxGlobNameLength = 4_096;
/** Maximum number of states visited for all texts together. */
export const maxGlobSteps = 5_000_000;
/** Maximum number of cached entries. When it is reached, the cache is cleared. */
const maxKept = 500_000;

/** Thrown if the globs need more work on these texts than any legitimate use. */
export class GlobWorkError extends Error {
  override name = 'GlobWorkError';
  readonly failure = commandFailures.GLOB;

  retryDelayMs(): null {
    return null;
  }
}

/** A state of the automaton: a character test with its successors, or successors that consume no character. */
interface GlobState {
  matches: ((char: string) => boolean) | null;
  next: number[];
  /** Index of the glob that ends here. */
  globIndex: number | null;
}

/** All states that a text may have reached. */
interface StateSet {
  states: readonly number[];
  globIndexes: readonly number[];
  transitions: Map<string, StateSet>;
}

export class GlobSet {
  readonly #fold: (char: string) => string;
  readonly #states: GlobState[] = [];
  readonly #starts: number[];
  #stateSets = new Map<string, StateSet>();
  #first: StateSet;
  #cachedCount = 0;
  #steps = 0;
  /** For each state, the number of the last closure that reached it. */
  readonly #reachedAt: Uint32Array;
  #times = 0;

  /** @throws TypeError for a glob that `findGlobProblem` rejects */
  constructor(globs: readonly string[], options: GlobOptions) {
    this.#fold = foldOf(options);
    this.#starts = globs.map((glob, index) => {
      const result = parseGlob(glob, options);
      if (!('parts' in result)) throw new TypeError(`the glob "${glob}" ${result.reason}`);
      const end = this.#add({ matches: null, next: [], globIndex: index });
      return this.#build(result.parts, end);
    });
    this.#reachedAt = new Uint32Array(this.#states.length);
    this.#first = this.#closure(this.#starts);
  }

  /** Work for all texts so far, apart from reading each character once. */
  get steps(): number {
    return this.#steps;
  }

  /** True if any glob matches. @throws GlobWorkError */
  hasMatch(text: string): boolean {
    return this.matching(text).length > 0;
  }

  /** Returns the indexes of the globs that match. The encoding of accents does not matter. @throws GlobWorkError */
  matching(text: string): readonly number[] {
    if (text.length > maxGlobNameLength) return [];
    let current = this.#first;
    for (const rawChar of text.normalize('NFC')) {
      if (current.states.length === 0) return [];
      const char = this.#fold(rawChar);
      current = current.transitions.get(char) ?? this.#step(current, char);
    }
    return current.globIndexes;
  }

  #step(from: StateSet, char: string): StateSet {
    const next: number[] = [];
    for (const index of from.states) {
      const state = this.#states[index];
      if (state?.matches?.(char) === true) next.push(...state.next);
    }
    this.#charge(from.states.length);
    if (this.#cachedCount > maxKept) {
      this.#stateSets = new Map();
      this.#cachedCount = 0;
      this.#first = this.#closure(this.#starts);
    }
    const current = this.#closure(next);
    from.transitions.set(char, current);
    this.#cachedCount += 1;
    return current;
  }

  /** Follows all transitions that do not consume a character. */
  #closure(startIndexes: readonly number[]): StateSet {
    const stack = [...startIndexes];
    const states: number[] = [];
    const globIndexes: number[] = [];
    this.#times += 1;
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      const state = this.#states[index];
      if (state === undefined || this.#reachedAt[index] === this.#times) continue;
      this.#reachedAt[index] = this.#times;
      if (state.matches !== null) states.push(index);
      else stack.push(...state.next);
      if (state.globIndex !== null) globIndexes.push(state.globIndex);
    }
    this.#charge(states.length + 1);
    globIndexes.sort((a, b) => a - b);
    const name = `${states.join()}|${globIndexes.join()}`;
    const existingSet = this.#stateSets.get(name);
    if (existingSet !== undefined) return existingSet;
    const current: StateSet = { states, globIndexes, transitions: new Map() };
    this.#stateSets.set(name, current);
    this.#cachedCount += states.length + globIndexes.length + 1;
    return current;
  }

  #charge(steps: number): void {
    this.#steps += steps;
    if (this.#steps <= maxGlobSteps) return;
    throw new GlobWorkError(
      'the globs take too long to match these names; use fewer globs, or fewer stars',
    );
  }

  /**
   * Adds states that match the parts and then continue at the state `endIndex`. Returns the index of the state to start
   * with.
   */
  #build(parts: readonly GlobPart[], endIndex: number): number {
    return parts.reduceRight((next, part) => {
      if (part.kind === 'one')
        return this.#add({ matches: part.matches, next: [next], globIndex: null });
      if (part.kind === 'choice') {
        const alternatives = part.alternatives.map((alternative) => this.#build(alternative, next));
        return this.#add({ matches: null, next: alternatives, globIndex: null });
      }
      const loopState: GlobState = { matches: null, next: [next], globIndex: null };
      const begin = this.#add(loopState);
      loopState.next.push(this.#add({ matches: part.matches, next: [begin], globIndex: null }));
      return begin;
    }, endIndex);
  }

  #add(state: GlobState): number {
    return this.#states.push(state) - 1;
  }
}
