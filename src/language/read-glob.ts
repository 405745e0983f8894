// Parses a glob: `*`, `**`, `?`, `[a-z]`, `[^a-z]` and `{a,b}`. Every other character matches itself.

export const longestGlob = 200;
export const mostStars = 20;
export const mostWays = 50;

/** In a path only `**` crosses folders; a name has no folders. */
export type GlobStyle = 'path' | 'name';

export interface GlobOptions {
  style: GlobStyle;
  /** @default false */
  ignoreCase?: boolean;
}

type CharTest = (char: string) => boolean;

/** One character, any number of characters, or one of several alternatives. */
export type GlobPart =
  | { kind: 'one'; takes: CharTest }
  | { kind: 'run'; takes: CharTest }
  | { kind: 'choice'; ways: readonly (readonly GlobPart[])[] };

export interface GlobRefusal {
  reason: string;
  offset: number;
}

class Unreadable {
  readonly refusal: GlobRefusal;
  constructor(reason: string, offset: number) {
    this.refusal = { reason, offset };
  }
}

/** Why a glob cannot be used; null if it can. */
export function refuseGlob(source: string): GlobRefusal | null {
  const read = readGlob(source, { style: 'path' });
  return 'parts' in read ? null : read;
}

/** The parts of a glob, or why it cannot be used. */
export function readGlob(
  source: string,
  options: GlobOptions,
): { parts: readonly GlobPart[] } | GlobRefusal {
  const refusal = refuseText(source);
  if (refusal !== null) return refusal;
  try {
    return { parts: new Reader(source, options).whole() };
  } catch (error) {
    if (error instanceof Unreadable) return error.refusal;
    throw error;
  }
}

/** Characters that are special in a shell or a regular expression, but not here. */
const misread: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/[@!+*?]\(/, 'uses an extended pattern such as +(a|b)'],
  [/\([^()]*\|/, 'groups with (a|b); write {a,b}'],
  [/\\/, 'holds a backslash; paths use /'],
  [/\[!/, 'negates with [!; write [^'],
  [/^!/, 'begins with !; use exclude'],
  [/^\//, 'begins with /; paths are relative'],
  [/(?:^|\/)\.\.(?:\/|$)/, 'leaves the folder with ..'],
  [/\{[^{},]*\.\.[^{},]*\}/, 'counts with {1..9}'],
];

function refuseText(source: string): GlobRefusal | null {
  if (source.length > longestGlob) {
    return { reason: `is longer than ${longestGlob} characters`, offset: longestGlob };
  }
  for (const [pattern, reason] of misread) {
    const offset = source.search(pattern);
    if (offset !== -1) return { reason, offset };
  }
  return null;
}

/** Normalises one character for comparison. */
export function foldOf({ ignoreCase = false }: GlobOptions): (char: string) => string {
  return ignoreCase ? (char) => char.toLowerCase() : (char) => char;
}

const anything: CharTest = () => true;
const notSlash: CharTest = (char) => char !== '/';
const slash: GlobPart = { kind: 'one', takes: (char) => char === '/' };
const unpaired = 'has a bracket without its pair';

class Reader {
  readonly #source: string;
  /** Characters that one star matches. */
  readonly #plain: CharTest;
  readonly #fold: (char: string) => string;
  #at = 0;
  #stars = 0;
  #ways = 0;

  constructor(source: string, options: GlobOptions) {
    this.#source = source;
    this.#plain = options.style === 'name' ? anything : notSlash;
    this.#fold = foldOf(options);
    if (options.style === 'path' && source.startsWith('./')) this.#at = 2;
  }

  whole(): GlobPart[] {
    const parts = this.#sequence(false);
    if (this.#at < this.#source.length) throw new Unreadable(unpaired, this.#at);
    return parts;
  }

  /** Reads to the end; inside braces, to a comma or the closing brace. */
  #sequence(inBraces: boolean): GlobPart[] {
    const parts: GlobPart[] = [];
    for (let char = this.#next(); char !== '' && char !== '}'; char = this.#next()) {
      if (inBraces && char === ',') break;
      if (char === '*') this.#star(parts, inBraces);
      else if (char === '{') parts.push(this.#braces(inBraces));
      else {
        this.#at += char.length;
        if (char === '?') parts.push({ kind: 'one', takes: this.#plain });
        else if (char === '[') parts.push({ kind: 'one', takes: this.#charClass() });
        else if (char === ']') throw new Unreadable(unpaired, this.#at - 1);
        else parts.push(char === '/' ? slash : this.#itself(char));
      }
    }
    return parts;
  }

  #itself(char: string): GlobPart {
    const folded = this.#fold(char);
    return { kind: 'one', takes: (one) => one === folded };
  }

  #star(parts: GlobPart[], inBraces: boolean): void {
    const start = this.#at;
    while (this.#next() === '*') this.#at += 1;
    this.#stars += 1;
    if (this.#stars > mostStars) throw new Unreadable(`has more than ${mostStars} stars`, start);
    const ends = (char: string) => char === '' || (inBraces && /[{,}]/.test(char));
    const before = this.#source[start - 1] ?? '';
    const next = this.#next();
    const isFolders =
      this.#at - start > 1 && (before === '/' || ends(before)) && (next === '/' || ends(next));
    if (!isFolders) parts.push({ kind: 'run', takes: this.#plain });
    else if (next === '/') {
      this.#at += 1;
      parts.push({ kind: 'choice', ways: [[], [{ kind: 'run', takes: anything }, slash]] });
    } else parts.push({ kind: 'run', takes: anything });
  }

  #braces(inBraces: boolean): GlobPart {
    const start = this.#at;
    if (inBraces) throw new Unreadable('nests braces', start);
    const ways: GlobPart[][] = [];
    do {
      this.#at += 1;
      this.#ways += 1;
      if (this.#ways > mostWays) {
        throw new Unreadable(`has more than ${mostWays} alternatives in braces`, start);
      }
      ways.push(this.#sequence(true));
    } while (this.#next() === ',');
    if (this.#next() !== '}') throw new Unreadable(unpaired, start);
    if (ways.length === 1) throw new Unreadable('has braces without a comma', start);
    this.#at += 1;
    return { kind: 'choice', ways };
  }

  /** Starts after the opening bracket. */
  #charClass(): CharTest {
    const start = this.#at - 1;
    const end = this.#source.indexOf(']', this.#at);
    if (end === -1) throw new Unreadable(unpaired, start);
    const [, caret = '', inner = ''] =
      /^(\^?)(.*)$/su.exec(this.#source.slice(this.#at, end)) ?? [];
    if (inner === '') throw new Unreadable('has brackets with nothing in them', start);
    this.#at = end + 1;
    const ranges = [...inner.matchAll(/(.)-(.)|(.)/gsu)].map(
      ([, first, last, only = '']) =>
        [this.#fold(first ?? only), this.#fold(last ?? only)] as const,
    );
    if (ranges.some(([first, last]) => first > last)) {
      throw new Unreadable('has a range that ends before it begins', start);
    }
    const plain = this.#plain;
    return (char) =>
      plain(char) &&
      ranges.some(([first, last]) => first <= char && char <= last) === (caret === '');
  }

  #next(): string {
    const code = this.#source.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }
}
