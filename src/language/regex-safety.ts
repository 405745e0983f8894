// Refuses regular expressions that a hostile file name could make run forever. An accepted expression costs at most
// about the square of the text's length: milliseconds for 4,096 characters.

export const maxRegexLength = 200;
/** Longer strings are not matched. */
export const maxMatchedLength = 4_096;
/** Limit for the exponent of the cost. Each repetition that can release characters to the next item adds 1. */
const maxPowers = 2;
/** Maximum number of ways in which optional parts and alternatives can match one text. */
const maxReadings = 64;
const maxCopies = 100;

/** A set of ASCII characters. Code 128 stands for every other character. */
type CharSet = ReadonlySet<number>;
const everything: CharSet = new Set(Array.from({ length: 129 }, (_, code) => code));
const digits = createCharRange('0', '9');
const word = new Set([...digits, ...createCharRange('a', 'z'), ...createCharRange('A', 'Z'), 95]);
const space = new Set([9, 10, 11, 12, 13, 32, 128]);
const classes: Record<string, CharSet> = {
  d: digits,
  D: complementOf(digits),
  w: word,
  W: complementOf(word),
  s: space,
  S: complementOf(space),
};
const controlCharacters: Record<string, string> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** One item of a sequence: the characters that it can start with, and how often it may repeat. */
interface Item {
  set: CharSet;
  /** True if the item may match the empty string. */
  optional: boolean;
  /** Number of repetitions of varying length that reach the end of the item. */
  varying: number;
  /** Number of other repetitions of varying length that an item before this one can release characters to. */
  leading: number;
}

class UnsafeRegexError {
  readonly reason: string;
  readonly offset: number;
  constructor(reason: string, offset: number) {
    this.reason = reason;
    this.offset = offset;
  }
}

/** Returns the expression that matches only whole texts. */
export function toWholeMatch(source: string): string {
  return `^(?:${source})$`;
}

/**
 * Returns why the expression cannot be used, or null if it can, whether or not it ignores case.
 * @param isWhole true if it is used as `toWholeMatch`, which can be slow for an expression that is fast in a search
 */
export function findRegexProblem(
  source: string,
  { isWhole = false }: { isWhole?: boolean } = {},
): { reason: string; offset: number } | null {
  if (source.length > maxRegexLength) {
    return { reason: `is longer than ${maxRegexLength} characters`, offset: maxRegexLength };
  }
  try {
    void new RegExp(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*\/: /, '') : 'is not valid';
    return { reason: `is not valid: ${reason.toLowerCase()}`, offset: 0 };
  }
  try {
    for (const ignoresCase of [true, false]) {
      const reader = new Reader(isWhole ? toWholeMatch(source) : source, ignoresCase);
      reader.alternatives(0);
      reader.assertBoundedCost();
    }
    return null;
  } catch (error) {
    if (!(error instanceof UnsafeRegexError)) throw error;
    const prefixLength = isWhole ? '^(?:'.length : 0;
    return { reason: error.reason, offset: Math.max(0, error.offset - prefixLength) };
  }
}

class Reader {
  readonly #source: string;
  readonly #ignoresCase: boolean;
  #offset = 0;
  /** True after a zero-width assertion that can fail: \b, \B, or ^ or $ that is not the first character. */
  #asserts = false;
  #ambiguous = 0;
  #readings = 1;
  #alternatives = 1;

  constructor(source: string, ignoresCase: boolean) {
    this.#source = source;
    this.#ignoresCase = ignoresCase;
  }

  assertBoundedCost(): void {
    // Without ^, the search restarts at every character.
    const anchored = this.#source.startsWith('^') && this.#alternatives === 1;
    const powers = this.#ambiguous + (anchored ? 0 : 1);
    if (powers > maxPowers) {
      const advice = anchored ? '' : '; begin it with ^, or remove a leading .*';
      const reason = 'has too many repetitions that can match the same characters';
      throw new UnsafeRegexError(`${reason}${advice}`, 0);
    }
    if (this.#readings > maxReadings) {
      const reason = 'has too many optional parts or choices that can match the same text';
      throw new UnsafeRegexError(reason, 0);
    }
  }

  /** Reads to the closing parenthesis, or at depth 0 to the end. The result describes the whole group. */
  alternatives(depth: number): { item: Item; plain: boolean } {
    const sequences = [this.#sequence(depth)];
    while (this.#source[this.#offset] === '|') {
      this.#offset += 1;
      sequences.push(this.#sequence(depth));
    }
    if (depth === 0) this.#alternatives = sequences.length;
    if (hasOverlap(sequences.map(firstCharactersOf))) this.#readings *= sequences.length;
    const items = sequences.flat();
    const set = new Set(items.flatMap((item) => [...item.set]));
    const optional = sequences.some((sequence) => sequence.every((item) => item.optional));
    const plain =
      sequences.length === 1 && items.every((item) => item.varying === 0 && !item.optional);
    const varying = sum(sequences.map(findVaryingEnd));
    const leading = sum(sequences.map(findVaryingStart));
    return { item: { set, optional, varying, leading }, plain };
  }

  #sequence(depth: number): Item[] {
    const items: Item[] = [];
    while (this.#offset < this.#source.length && !/[|)]/.test(this.#source[this.#offset] ?? '')) {
      const item = this.#quantified(depth);
      if (item !== null) items.push(item);
    }
    const overlapping = new Set<Item>();
    const takersOfVarying = new Set<Item>();
    const isOpenEnded = depth === 0 && !this.#asserts;
    // The last item of the expression never releases characters, because nothing after it can fail.
    const free = (index: number) =>
      isOpenEnded && items.slice(index + 1).every((item) => item.optional);
    for (const [index, item] of items.entries()) {
      const { kind, takers } = findOverlap(item, items.slice(index + 1));
      // For the last item of a group, the item after the group decides.
      if (kind === 'no' || (kind === 'end' && depth > 0 && item.varying > 0)) continue;
      if (item.varying > 0) {
        for (const candidate of [item, ...takers]) overlapping.add(candidate);
        for (const taker of takers) takersOfVarying.add(taker);
      } else if (item.optional) this.#readings *= 2;
    }
    for (const [index, item] of items.entries()) if (free(index)) overlapping.delete(item);
    this.#ambiguous += sum([...overlapping].map(({ varying }) => varying));
    this.#ambiguous += sum([...takersOfVarying].map(({ leading }) => leading));
    return items;
  }

  #quantified(depth: number): Item | null {
    const start = this.#offset;
    const atom = this.#atom(depth);
    const copies = this.#copies();
    if (atom === null) return null;
    if (copies === null) return atom.item;
    const varies = copies.min !== copies.max && copies.max > 1;
    const varying = varies ? 1 : atom.item.varying;
    if (copies.max > 1 && !atom.plain) {
      throw new UnsafeRegexError('repeats a group that contains a repetition or a choice', start);
    }
    if (copies.max !== Number.POSITIVE_INFINITY && copies.max > maxCopies) {
      throw new UnsafeRegexError(`repeats more than ${maxCopies} times`, start);
    }
    const optional = copies.min === 0 || atom.item.optional;
    return { set: atom.item.set, optional, varying, leading: atom.item.leading };
  }

  #copies(): { min: number; max: number } | null {
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#offset));
    if (match === null) return null;
    this.#offset += match[0].length;
    const kind = match[0][0];
    if (kind === '*') return { min: 0, max: Number.POSITIVE_INFINITY };
    if (kind === '+') return { min: 1, max: Number.POSITIVE_INFINITY };
    if (kind === '?') return { min: 0, max: 1 };
    const min = Number(match[1]);
    if (!match[2]) return { min, max: min };
    return { min, max: match[3] ? Number(match[3]) : Number.POSITIVE_INFINITY };
  }

  /** Reads one atom. Returns null for an assertion, which matches no character. */
  #atom(depth: number): { item: Item; plain: boolean } | null {
    const start = this.#offset;
    const char = this.#source[this.#offset++] ?? '';
    if (char === '^' || char === '$') {
      this.#asserts ||= start > 0;
      return null;
    }
    if (char === '.') return toSingleItem(everything);
    if (char === '[') return toSingleItem(this.#charClass());
    if (char === '\\') return this.#escape(start);
    if (char !== '(') return toSingleItem(this.#charSet(char));
    if (depth >= 10) throw new UnsafeRegexError('nests groups too deeply', start);
    if (this.#source[this.#offset] === '?') {
      const kind = /^\?(?::|<[A-Za-z_]\w*>)/.exec(this.#source.slice(this.#offset));
      const unsupported = 'uses a lookahead, a lookbehind or flags, which are not supported';
      if (kind === null) throw new UnsafeRegexError(unsupported, start);
      this.#offset += kind[0].length;
    }
    const group = this.alternatives(depth + 1);
    this.#offset += 1;
    return group;
  }

  #escape(start: number): { item: Item; plain: boolean } | null {
    const char = this.#source[this.#offset++] ?? '';
    if (char === 'b' || char === 'B') {
      this.#asserts = true;
      return null;
    }
    if (/[1-9k]/.test(char))
      throw new UnsafeRegexError('uses a back-reference, which is not supported', start);
    assertPlainEscape(char, start);
    return toSingleItem(classes[char] ?? this.#charSet(controlCharacters[char] ?? char));
  }

  #charClass(): CharSet {
    const negated = this.#source[this.#offset] === '^';
    if (negated) this.#offset += 1;
    const set = new Set<number>();
    while (this.#offset < this.#source.length && this.#source[this.#offset] !== ']') {
      const first = this.#classMember();
      const isRange = /^-[^\]]/.test(this.#source.slice(this.#offset));
      if (isRange) this.#offset += 1;
      const last = isRange ? this.#classMember() : first;
      if (typeof first === 'string' && typeof last === 'string') {
        for (const code of createCharRange(first, last)) this.#addCode(set, code);
      } else {
        // Next to a class like \w, the hyphen is a plain character.
        for (const member of isRange ? [first, '-', last] : [first]) {
          const codes = typeof member === 'string' ? this.#charSet(member) : member;
          for (const code of codes) set.add(code);
        }
      }
    }
    this.#offset += 1;
    return negated ? complementOf(set) : set;
  }

  /** Reads one member of a character class: a character, or the set of an escape like \w. */
  #classMember(): string | CharSet {
    const start = this.#offset;
    const char = this.#source[this.#offset++] ?? '';
    if (char !== '\\') return char;
    const escaped = this.#source[this.#offset++] ?? '';
    if (escaped === 'b') return '\b';
    assertPlainEscape(escaped, start);
    return classes[escaped] ?? controlCharacters[escaped] ?? escaped;
  }

  #charSet(char: string): CharSet {
    const set = new Set<number>();
    this.#addCode(set, char.charCodeAt(0));
    return set;
  }

  #addCode(set: Set<number>, code: number): void {
    const char = String.fromCharCode(code);
    const variants = this.#ignoresCase ? [char.toLowerCase(), char.toUpperCase()] : [char];
    for (const variant of variants) set.add(Math.min(128, variant.charCodeAt(0)));
  }
}

/** Refuses an escape that specifies a character by its code or a property. */
function assertPlainEscape(char: string, offset: number): void {
  if (/[pPucx0-9]/.test(char)) throw new UnsafeRegexError(`uses the escape \\${char}`, offset);
}

/**
 * Finds the `takers`: following items that can match a character of the item, up to the first item that must match
 * a different character. `end` is true if there are no takers and all following items may be empty.
 */
function findOverlap(
  item: Item,
  followers: readonly Item[],
): { kind: 'yes' | 'no' | 'end'; takers: readonly Item[] } {
  const takers: Item[] = [];
  let certain = false;
  for (const next of followers) {
    const takes = [...next.set].some((code) => item.set.has(code));
    if (takes) takers.push(next);
    // An item that must match, and can match the same characters, is ambiguous as well: a*aa* is as ambiguous as a*a*.
    else if (!next.optional) return { kind: takers.length > 0 ? 'yes' : 'no', takers };
    certain ||= !next.optional;
  }
  return { kind: certain || takers.length > 0 ? 'yes' : 'end', takers };
}

function findVaryingEnd(sequence: readonly Item[]): number {
  const reaching = sequence.filter((_, index) =>
    sequence.slice(index + 1).every((next) => next.optional),
  );
  return sum(reaching.map(({ varying }) => varying));
}

/** Counts repetitions up to the first item that must match, without those that reach the end of the sequence. */
function findVaryingStart(sequence: readonly Item[]): number {
  const firstCertain = sequence.findIndex((item) => !item.optional);
  const start = firstCertain === -1 ? sequence : sequence.slice(0, firstCertain + 1);
  const reaches = (index: number) => sequence.slice(index + 1).every((next) => next.optional);
  return sum(start.map(({ varying, leading }, index) => leading + (reaches(index) ? 0 : varying)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function firstCharactersOf(sequence: readonly Item[]): CharSet {
  const end = sequence.findIndex((item) => !item.optional);
  const first = end === -1 ? sequence : sequence.slice(0, end + 1);
  return new Set(first.flatMap(({ set }) => [...set]));
}

function hasOverlap(sets: readonly CharSet[]): boolean {
  const seenCodes = new Set<number>();
  for (const set of sets) {
    if ([...set].some((code) => seenCodes.has(code))) return true;
    for (const code of set) seenCodes.add(code);
  }
  return false;
}

function toSingleItem(set: CharSet): { item: Item; plain: boolean } {
  return { item: { set, optional: false, varying: 0, leading: 0 }, plain: true };
}

function createCharRange(first: string, last: string): Set<number> {
  const set = new Set<number>();
  const end = Math.min(128, last.charCodeAt(0));
  for (let code = Math.min(128, first.charCodeAt(0)); code <= end; code++) set.add(code);
  return set;
}

function complementOf(set: CharSet): CharSet {
  const otherCodes = new Set([...everything].filter((code) => !set.has(code)));
  // Code 128 stands for many characters, and every class leaves out some of them.
  return otherCodes.add(128);
}
