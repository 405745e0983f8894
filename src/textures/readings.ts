// All possible readings of a file name: one word means the map, and the rest is the material.
import {
  findMapWords,
  type MatchedWord,
  markWorkflowAsNoise,
  type Spelling,
} from './matched-words.ts';
import type { Token } from './tokens.ts';
import type { WordClass, WordMeaning } from './vocabulary.ts';

export interface Reading {
  readonly kind: WordMeaning;
  readonly wordClass: WordClass;
  readonly spelling: Spelling;
  /** Position of the map's word in the name. `whole` if the name has no other words. */
  readonly place: 'first' | 'inside' | 'last' | 'whole';
  /** Key of the material, for comparison. */
  readonly material: string;
  readonly words: readonly string[];
  /** True if the reading loses against another one with equal support. */
  readonly isUncertain: boolean;
  /** The word that identifies the map, without separators, for comparison. */
  readonly spelled: string;
  /** Ranges of the name that are not the material. They are not sorted. */
  readonly cut: readonly (readonly [start: number, end: number])[];
  /** Index of the map's word. A higher value is nearer to the end of the name. */
  readonly position: number;
  /** Rank among the files of one map, from a number or word after it (see `copyRank`). */
  readonly copy?: number;
  /** True if the rank is a plain number: `diffuse_02`. */
  readonly hasCopyNumber: boolean;
  /** Number of a UDIM tile next to the map's word. */
  readonly tile?: number;
  /** True if the map's word has a bit depth: `NRM16`. */
  readonly hasBitDepth: boolean;
}

/** Words after a map's word that distinguish versions of a file. */
const copyWords =
  /^(v|ver|version|var|variant|copy|final|new|old|edit|edited|alt|fixed|test|preview|thumb|thumbnail|bake|baked|export|exported)$/;
const bitDepths = new Set(['8', '16', '32']);

/** Returns all readings of a name. Empty if no word means a map. */
export function readingsOf(tokens: readonly Token[]): Reading[] {
  const relevantTokens = markWorkflowAsNoise(tokens);
  return findMapWords(relevantTokens).flatMap((match) => {
    const tile = findTileNumber(relevantTokens, match);
    return [
      ...createReadings(relevantTokens, match),
      ...(tile ? createReadings(relevantTokens, match, tile) : []),
    ];
  });
}

/**
 * Creates readings that take the word of `match` as the map. There are two if all other words before or after it are
 * numbers, because the numbers may belong to the material's name or only count files.
 */
function createReadings(tokens: readonly Token[], match: MatchedWord, tile?: Token): Reading[] {
  const { from, to } = match;
  const next = tokens[to];
  const hasBitDepth = next !== undefined && !next.isAfterSeparator && bitDepths.has(next.text);
  const outside = tokens.filter((_, index) => index < from || index >= (hasBitDepth ? to + 1 : to));
  const plain = outside.filter(
    (token) => !token.noise && token !== tile && !isPrefixToken(token, tokens.indexOf(token)),
  );
  const head = plain.filter(({ end }) => end <= (tokens[from]?.start ?? 0));
  const tail = plain.slice(head.length);
  const reading = (materialWords: MaterialWords) =>
    createReading(tokens, { ...match, hasBitDepth, tile }, materialWords);
  if (tail.length === 0) {
    const fullReading = reading({ head, tail });
    // In `01_diffuse` next to `02_normal`, the leading numbers are an order, not a material.
    const isNumbered = head.length > 0 && match.split === undefined && head.every(isNumberToken);
    return isNumbered ? [fullReading, reading({ head: [], tail })] : [fullReading];
  }
  if (!tail.every((token) => isNumberToken(token) || copyWords.test(token.text))) {
    return [reading({ head, tail })];
  }
  const hasCopyNumber = tail.every(isNumberToken);
  const asCopy = reading({ head, tail: [], copy: copyRank(tail), hasCopyNumber });
  return hasCopyNumber ? [reading({ head, tail }), asCopy] : [asCopy];
}

/** The words of the material, before and after the map's word. */
interface MaterialWords {
  readonly head: readonly Token[];
  readonly tail: readonly Token[];
  readonly copy?: number;
  readonly hasCopyNumber?: boolean;
}

function createReading(
  tokens: readonly Token[],
  match: MatchedWord & { hasBitDepth: boolean; tile: Token | undefined },
  { head, tail, copy, hasCopyNumber = false }: MaterialWords,
): Reading {
  const { from, to, word, spelling, split, isUncertain = false, hasBitDepth, tile } = match;
  const run = tokens.slice(from, to);
  const [first] = run;
  const joinedMap = split === undefined ? [] : [first?.text.slice(0, split) ?? ''];
  // The position is counted from the end, because accents before it may take several characters.
  const start =
    first === undefined || split === undefined
      ? (first?.start ?? 0)
      : first.end - (first.text.length - split);
  const others = tokens.filter(
    (token, index) =>
      (index < from || index >= to) && !head.includes(token) && !tail.includes(token),
  );
  const words = [...head.map(({ text }) => text), ...joinedMap, ...tail.map(({ text }) => text)];
  return {
    kind: word.kind,
    wordClass: word.wordClass,
    spelling,
    place: wordPositionOf(head.length + joinedMap.length > 0, tail.length > 0),
    material: joinWords(words),
    words,
    spelled: run
      .map(({ text }) => text)
      .join('')
      .slice(split ?? 0),
    cut: [
      [start, run.at(-1)?.end ?? start],
      ...others.map(({ start, end }) => [start, end] as const),
    ],
    position: from,
    hasBitDepth,
    hasCopyNumber,
    isUncertain,
    ...(copy === undefined ? {} : { copy }),
    ...(tile === undefined ? {} : { tile: tileOf(tile.text) }),
  };
}

function isNumberToken({ text }: Token): boolean {
  return /^\d{1,3}$/.test(text);
}

/** Ranks the words after a map's word. Lower is better: the latest version, or the first variant or copy. */
function copyRank(copyTokens: readonly Token[]): number {
  const has = (pattern: RegExp) => copyTokens.some(({ text }) => pattern.test(text));
  const number = Number(copyTokens.findLast(({ text }) => /^\d+$/.test(text))?.text ?? 0);
  if (has(/^(old|copy|test|alt|preview|thumb|thumbnail)$/)) return 1000 + number;
  if (has(/^(final|fixed|new|edited)$/)) return -1000 - number;
  return has(/^(v|ver|version)$/) ? -number : number;
}

/** Number of the first tile of a UDIM set. Numbers count as tiles only if the set has this tile. */
export const firstTile = 1001;

/** Finds the number of a UDIM tile next to the map's word: `pants_1002_normal`, `Normal_Raw.1002`. */
function findTileNumber(tokens: readonly Token[], { from, to }: MatchedWord): Token | undefined {
  const previousToken = tokens.slice(0, from).findLast(({ noise }) => !noise);
  const nextToken = tokens.slice(to).find(({ noise }) => !noise);
  return [nextToken, previousToken].find((token) => token && isTileToken(token));
}

/** True for the number of a UDIM tile: `_1001`, `.1001`. `ART-1001` is an article. */
function isTileToken({ text, previousChar, isBeforeSeparator }: Token): boolean {
  return /[._]/.test(previousChar) && isBeforeSeparator && tileOf(text) >= firstTile;
}

/** Returns the number of a tile: 1012 for both `1012` and `u2_v2`. Returns 0 for other text. */
function tileOf(text: string): number {
  if (/^1[0-9]{3}$/.test(text)) return Number(text);
  const [, u, v] = /^u(\d+)_?v(\d+)$/.exec(text) ?? [];
  return u === undefined ? 0 : 1000 + Number(u) + 10 * (Number(v) - 1);
}

/** True for the prefix that engines put before texture names: `T_Wood_D`. */
export function isPrefixToken({ text, isBeforeSeparator }: Token, index: number): boolean {
  return index === 0 && isBeforeSeparator && (text === 't' || text === 'tx');
}

function wordPositionOf(hasHead: boolean, hasTail: boolean): Reading['place'] {
  if (hasHead) return hasTail ? 'inside' : 'last';
  return hasTail ? 'first' : 'whole';
}

/** Returns the key of the material of a name without a map's word. */
export function nameKey(tokens: readonly Token[]): string {
  return materialKeyOf(tokens.filter((token, index) => !isPrefixToken(token, index)));
}

/** Returns the key of a material: all words of its name except noise. */
export function materialKeyOf(tokens: readonly Token[]): string {
  return joinWords(tokens.filter(({ noise }) => !noise).map(({ text }) => text));
}

/** Joins words to a key. Two adjacent numbers stay apart. */
export function joinWords(words: readonly string[]): string {
  return words.reduce(
    (key, next) => (/\d$/.test(key) && /^\d/.test(next) ? `${key} ${next}` : key + next),
    '',
  );
}
