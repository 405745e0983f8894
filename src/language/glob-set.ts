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

/** A state of the automaton. Globs that begin alike share their first states, so that a text is in few states. */
interface GlobState {
  /** Character tests, and the states that they lead to. */
  transitions: { matches: (char: string) => boolean; next: number }[];
  /** States that are reached without a character. */
  empty: number[];
  /** The state after each part that follows here, by the text of the part. */
  after: Map<string, number>;
  /** Indexes of the globs that end here. */
  globIndexes: number[];
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
    this.#add();
    for (const [index, glob] of globs.entries()) {
      const result = parseGlob(glob, options);
      if (!('parts' in result)) throw new TypeError(`the glob "${glob}" ${result.reason}`);
      this.#state(this.#build(result.parts, 0)).globIndexes.push(index);
    }
    this.#reachedAt = new Uint32Array(this.#states.length);
    this.#first = this.#closure([0]);
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
      const { transitions } = this.#state(index);
      for (const { matches, next: to } of transitions) if (matches(char)) next.push(to);
      this.#charge(transitions.length);
    }
    if (this.#cachedCount > maxKept) {
      this.#stateSets = new Map();
      this.#cachedCount = 0;
      this.#first = this.#closure([0]);
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
      if (this.#reachedAt[index] === this.#times) continue;
      this.#reachedAt[index] = this.#times;
      const state = this.#state(index);
      if (state.transitions.length > 0) states.push(index);
      stack.push(...state.empty);
      globIndexes.push(...state.globIndexes);
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

  /** Returns the state that the parts lead to from the state `startIndex`, and adds the states that are missing. */
  #build(parts: readonly GlobPart[], startIndex: number): number {
    return parts.reduce((index, part) => {
      const { transitions, empty, after } = this.#state(index);
      const existing = after.get(part.text);
      if (existing !== undefined) return existing;
      const end = this.#add();
      after.set(part.text, end);
      if (part.kind === 'one') transitions.push({ matches: part.matches, next: end });
      else if (part.kind === 'run') {
        empty.push(end);
        this.#state(end).transitions.push({ matches: part.matches, next: end });
      } else {
        for (const alternative of part.alternatives)
          this.#state(this.#build(alternative, index)).empty.push(end);
      }
      return end;
    }, startIndex);
  }

  #add(): number {
    return this.#states.push({ transitions: [], empty: [], after: new Map(), globIndexes: [] }) - 1;
  }

  #state(index: number): GlobState {
    const state = this.#states[index];
    if (state === undefined) throw new RangeError(`no state ${index}`);
    return state;
  }
}
