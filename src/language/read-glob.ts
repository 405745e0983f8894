// Parses a glob: `*`, `**`, `?`, `[a-z]`, `[^a-z]` and `{a,b}`. Every other character matches itself.

export const maxGlobLength = 200;
export const maxStars = 20;
export const maxPaths = 50;

/** In a path, only `**` crosses folders. A name has no folders. */
export type GlobStyle = 'path' | 'name';

export interface GlobOptions {
  style: GlobStyle;
  /** @default false */
  ignoreCase?: boolean;
}

type CharPredicate = (char: string) => boolean;

/** One character, any number of characters, or one of several alternatives. Parts with the same text are the same. */
export type GlobPart = { text: string } & (
  | { kind: 'one'; matches: CharPredicate }
  | { kind: 'run'; matches: CharPredicate }
  | { kind: 'choice'; alternatives: readonly (readonly GlobPart[])[] }
);

export interface GlobProblem {
  reason: string;
  offset: number;
}

class GlobSyntaxError {
  readonly refusal: GlobProblem;
  constructor(reason: string, offset: number) {
    this.refusal = { reason, offset };
  }
}

/** Returns why a glob cannot be used, or null if it can be used. */
export function findGlobProblem(source: string): GlobProblem | null {
  const result = parseGlob(source, { style: 'path' });
  return 'parts' in result ? null : result;
}

/** Parses a glob into its parts, or returns why it cannot be used. */
export function parseGlob(
  source: string,
  options: GlobOptions,
): { parts: readonly GlobPart[] } | GlobProblem {
  // A character class holds single characters, so that decomposed accents are composed first.
  const composed = source.normalize('NFC');
  const refusal = findSyntaxProblem(composed);
  if (refusal !== null) return refusal;
  try {
    return { parts: new Reader(composed, options).readAll() };
  } catch (error) {
    if (error instanceof GlobSyntaxError) return error.refusal;
    throw error;
  }
}

/** Syntax of shells and regular expressions that these globs do not support. */
const unsupportedSyntax: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/[@!+*?]\(/, 'uses an extended pattern such as +(a|b)'],
  [/\([^()]*\|/, 'groups with (a|b); write {a,b}'],
  [/\\/, 'contains a backslash; paths use /'],
  [/\[!/, 'negates with [!; write [^'],
  [/^!/, 'begins with !; use exclude'],
  [/^\//, 'begins with /; paths are relative'],
  [/(?:^|\/)\.\.(?:\/|$)/, 'leaves the folder with ..'],
  [/\{[^{},]*\.\.[^{},]*\}/, 'counts with {1..9}'],
];

function findSyntaxProblem(source: string): GlobProblem | null {
  if (source.length > maxGlobLength) {
    return { reason: `is longer than ${maxGlobLength} characters`, offset: maxGlobLength };
  }
  for (const [pattern, reason] of unsupportedSyntax) {
    const offset = source.search(pattern);
    if (offset !== -1) return { reason, offset };
  }
  return null;
}

/** Returns a function that normalizes one character for comparison. */
export function foldOf({ ignoreCase = false }: GlobOptions): (char: string) => string {
  return ignoreCase ? (char) => char.toLowerCase() : (char) => char;
}

const isAnything: CharPredicate = () => true;
const isNotSlash: CharPredicate = (char) => char !== '/';
const slash: GlobPart = { kind: 'one', text: '/', matches: (char) => char === '/' };
const anything: GlobPart = { kind: 'run', text: '**', matches: isAnything };
const unpaired = 'has an unmatched bracket';

class Reader {
  readonly #source: string;
  /** Characters that one star matches. */
  readonly #plain: CharPredicate;
  readonly #fold: (char: string) => string;
  readonly #ignoreCase: boolean;
  #offset = 0;
  #stars = 0;
  #alternatives = 0;

  constructor(source: string, options: GlobOptions) {
    this.#source = source;
    this.#plain = options.style === 'name' ? isAnything : isNotSlash;
    this.#fold = foldOf(options);
    this.#ignoreCase = options.ignoreCase ?? false;
    if (options.style === 'path' && source.startsWith('./')) this.#offset = 2;
  }

  readAll(): GlobPart[] {
    const parts = this.#sequence(false);
    if (this.#offset < this.#source.length) throw new GlobSyntaxError(unpaired, this.#offset);
    return parts;
  }

  /** Reads to the end or, inside braces, to a comma or the closing brace. */
  #sequence(inBraces: boolean): GlobPart[] {
    const parts: GlobPart[] = [];
    for (let char = this.#next(); char !== '' && char !== '}'; char = this.#next()) {
      if (inBraces && char === ',') break;
      if (char === '*') this.#star(parts, inBraces);
      else if (char === '{') parts.push(this.#braces(inBraces));
      else {
        this.#offset += char.length;
        if (char === '?') parts.push({ kind: 'one', text: '?', matches: this.#plain });
        else if (char === '[') parts.push(this.#charClass());
        else if (char === ']') throw new GlobSyntaxError(unpaired, this.#offset - 1);
        else parts.push(char === '/' ? slash : this.#literal(char));
      }
    }
    return parts;
  }

  #literal(char: string): GlobPart {
    const folded = this.#fold(char);
    return { kind: 'one', text: folded, matches: (candidate) => candidate === folded };
  }

  #star(parts: GlobPart[], inBraces: boolean): void {
    const start = this.#offset;
    while (this.#next() === '*') this.#offset += 1;
    this.#stars += 1;
    if (this.#stars > maxStars) throw new GlobSyntaxError(`has more than ${maxStars} stars`, start);
    const ends = (char: string) => char === '' || (inBraces && /[{,}]/.test(char));
    const previousChar = this.#source[start - 1] ?? '';
    const next = this.#next();
    const isFolders =
      this.#offset - start > 1 &&
      (previousChar === '/' || ends(previousChar)) &&
      (next === '/' || ends(next));
    if (!isFolders) parts.push({ kind: 'run', text: '*', matches: this.#plain });
    else if (next === '/') {
      const folders: GlobPart[] = [anything, slash];
      this.#offset += 1;
      parts.push({ kind: 'choice', text: '**/', alternatives: [[], folders] });
    } else parts.push(anything);
  }

  #braces(inBraces: boolean): GlobPart {
    const start = this.#offset;
    if (inBraces) throw new GlobSyntaxError('nests braces', start);
    const alternatives: GlobPart[][] = [];
    do {
      this.#offset += 1;
      this.#alternatives += 1;
      if (this.#alternatives > maxPaths) {
        throw new GlobSyntaxError(`has more than ${maxPaths} alternatives in braces`, start);
      }
      alternatives.push(this.#sequence(true));
    } while (this.#next() === ',');
    if (this.#next() !== '}') throw new GlobSyntaxError(unpaired, start);
    if (alternatives.length === 1) throw new GlobSyntaxError('has braces without a comma', start);
    this.#offset += 1;
    return { kind: 'choice', text: this.#source.slice(start, this.#offset), alternatives };
  }

  /** Reads a class such as `[a-z]` after its opening bracket. */
  #charClass(): GlobPart {
    const start = this.#offset - 1;
    const end = this.#source.indexOf(']', this.#offset);
    if (end === -1) throw new GlobSyntaxError(unpaired, start);
    const [, caret = '', inner = ''] =
      /^(\^?)(.*)$/su.exec(this.#source.slice(this.#offset, end)) ?? [];
    if (inner === '') throw new GlobSyntaxError('has empty brackets', start);
    this.#offset = end + 1;
    const ranges = [...inner.matchAll(/(.)-(.)|(.)/gsu)].map(
      ([, first, last, only = '']) => [first ?? only, last ?? only] as const,
    );
    if (ranges.some(([first, last]) => first > last)) {
      throw new GlobSyntaxError('has a range that ends before it starts', start);
    }
    // A range such as A-_ ends before it begins in lower case, so the upper case is compared as well.
    const foldedRanges = ranges.map(
      ([first, last]) => [this.#fold(first), this.#fold(last)] as const,
    );
    const isInRange = (char: string) =>
      isInAny(char, foldedRanges) ||
      (this.#ignoreCase && (isInAny(char, ranges) || isInAny(char.toUpperCase(), ranges)));
    const plain = this.#plain;
    return {
      kind: 'one',
      text: this.#source.slice(start, this.#offset),
      matches: (char) => plain(char) && isInRange(char) === (caret === ''),
    };
  }

  #next(): string {
    const code = this.#source.codePointAt(this.#offset);
    return code === undefined ? '' : String.fromCodePoint(code);
  }
}

function isInAny(
  char: string,
  ranges: readonly (readonly [first: string, last: string])[],
): boolean {
  return ranges.some(([first, last]) => first <= char && char <= last);
}
