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
  id: number;
  /** Character tests, and the states that they lead to. */
  transitions: { matches: (char: string) => boolean; next: GlobState }[];
  /** States that are reached without a character. */
  empty: GlobState[];
  /** The state after each part that follows here, by the text of the part. */
  after: Map<string, GlobState>;
  /** Indexes of the globs that end here. */
  globIndexes: number[];
  /** Number of the last closure that reached the state. */
  reachedAt: number;
}

/** All states that a text may have reached. */
interface StateSet {
  states: readonly GlobState[];
  globIndexes: readonly number[];
  transitions: Map<string, StateSet>;
}

export class GlobSet {
  readonly #fold: (char: string) => string;
  #stateCount = 0;
  readonly #start = this.#createState();
  #stateSets = new Map<string, StateSet>();
  #first: StateSet;
  #cachedCount = 0;
  #steps = 0;
  #times = 0;

  /** @throws TypeError for a glob that `findGlobProblem` rejects */
  constructor(globs: readonly string[], options: GlobOptions) {
    this.#fold = foldOf(options);
    for (const [index, glob] of globs.entries()) {
      const result = parseGlob(glob, options);
      if (!('parts' in result)) throw new TypeError(`the glob "${glob}" ${result.reason}`);
      this.#build(result.parts, this.#start).globIndexes.push(index);
    }
    this.#first = this.#closure([this.#start]);
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
    const reached: GlobState[] = [];
    for (const { transitions } of from.states) {
      for (const { matches, next } of transitions) if (matches(char)) reached.push(next);
      this.#charge(transitions.length);
    }
    if (this.#cachedCount > maxKept) {
      this.#stateSets = new Map();
      this.#cachedCount = 0;
      this.#first = this.#closure([this.#start]);
    }
    const current = this.#closure(reached);
    from.transitions.set(char, current);
    this.#cachedCount += 1;
    return current;
  }

  /** Follows all transitions that do not consume a character. */
  #closure(starts: readonly GlobState[]): StateSet {
    const stack = [...starts];
    const states: GlobState[] = [];
    const globIndexes: number[] = [];
    this.#times += 1;
    for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
      if (state.reachedAt === this.#times) continue;
      state.reachedAt = this.#times;
      if (state.transitions.length > 0) states.push(state);
      stack.push(...state.empty);
      globIndexes.push(...state.globIndexes);
    }
    this.#charge(states.length + 1);
    globIndexes.sort((a, b) => a - b);
    const name = `${states.map(({ id }) => id).join()}|${globIndexes.join()}`;
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
    throw new GlobWorkError('matching these globs takes too long; use fewer globs, or fewer stars');
  }

  /** Returns the state that the parts lead to, and adds the states that are missing. */
  #build(parts: readonly GlobPart[], start: GlobState): GlobState {
    return parts.reduce((state, part) => {
      const existing = state.after.get(part.text);
      if (existing !== undefined) return existing;
      const end = this.#createState();
      state.after.set(part.text, end);
      if (part.kind === 'one') state.transitions.push({ matches: part.matches, next: end });
      else if (part.kind === 'run') {
        state.empty.push(end);
        end.transitions.push({ matches: part.matches, next: end });
      } else
        for (const alternative of part.alternatives)
          this.#build(alternative, state).empty.push(end);
      return end;
    }, start);
  }

  #createState(): GlobState {
    const id = this.#stateCount++;
    const nothing = { transitions: [], empty: [], globIndexes: [], reachedAt: 0 };
    return { id, after: new Map(), ...nothing };
  }
}
