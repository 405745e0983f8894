// The ways one file name can be read: which of its words is the map, and what is left as the material.
import { gluedMap, packedOf, splitPacked } from './packing.ts';
import type { Token } from './tokens.ts';
import { meantWord } from './typing-errors.ts';
import { mostTokensOfWord, type Trust, type Word, type WordKind, wordOf } from './words.ts';

/** How the map is written: `exact`, with a `typo`, `glued` to the word before it, or not at all. */
export type Spelling = 'exact' | 'typo' | 'glued' | 'none';

export interface Reading {
  readonly kind: WordKind;
  readonly trust: Trust;
  readonly spelling: Spelling;
  /** Where the map's word stands in the name; `whole` when there is nothing else. */
  readonly place: 'first' | 'inside' | 'last' | 'whole';
  /** The material: its words, comparable. */
  readonly material: string;
  /** Parts of the name that are not the material, in order. */
  readonly cut: readonly (readonly [start: number, end: number])[];
  /** Higher stands further to the end of the name. */
  readonly position: number;
  /** Rank among files of one map, when a number or a word after it was read so; see `copyRank`. */
  readonly copy?: number;
  /** Bit depth written to the map's word: `NRM16`. */
  readonly deep: boolean;
}

/** After a map's word these tell versions of its file apart. */
const copyWords = /^(v|ver|version|var|variant|copy|final|new|old|edit|edited|alt|fixed|test)$/;
const workflows = new Set(['metalness', 'specular', 'metallic']);
const bitDepths = new Set(['8', '16', '32']);

interface Found {
  readonly from: number;
  readonly to: number;
  readonly word: Word;
  readonly spelling: Spelling;
  /** For glued words: where in the first token the map's word begins. */
  readonly split?: number;
}

/** All readings of a name, none when no word of it is a map's. */
export function readingsOf(tokens: readonly Token[]): Reading[] {
  const words = withoutWorkflow(tokens);
  const found = [...exactWords(words), ...packedRuns(words), ...looseWords(words)];
  return found.flatMap((place) => readingsAt(words, place));
}

/** `COL_2K_METALNESS`: a workflow named after the resolution is not the map. */
function withoutWorkflow(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.at(-1);
  if (!last || !workflows.has(last.text)) return tokens;
  const before = tokens.slice(0, -1);
  if (before.at(-1)?.noise?.is !== 'resolution') return tokens;
  const hasMap = exactWords(before).some(
    ({ from, word }) => from > 0 && word.trust !== 'letter' && !isOrdinary(before, from, word),
  );
  return hasMap ? [...before, { ...last, noise: { is: 'wording' } }] : tokens;
}

/** "rusty metal 02": an ordinary word that something else than noise follows. */
function isOrdinary(tokens: readonly Token[], at: number, word: Word): boolean {
  return word.trust === 'noun' && tokens.slice(at + 1).some(({ noise }) => !noise);
}

function exactWords(tokens: readonly Token[]): Found[] {
  const found: Found[] = [];
  for (let from = 0; from < tokens.length; from += 1) {
    // The longest spelling from here: `Base Color` is not `Base` and `Color`.
    for (let to = Math.min(tokens.length, from + mostTokensOfWord); to > from; to -= 1) {
      const run = tokens.slice(from, to);
      const isRun = run.every(
        ({ text, noise, openBefore }) =>
          (text.length > 1 || !openBefore) && (!noise || noise.is === 'wording'),
      );
      if (run.length > 1 && !isRun) continue;
      const word = wordOf(run.map(({ text }) => text).join(''));
      if (!word || (word.trust === 'letter' && !standsAlone(run[0]))) continue;
      found.push({ from, to, word, spelling: 'exact' });
      break;
    }
  }
  // `Normal` inside `Bent Normal` is no reading of its own; `rough` inside `metal rough` may be one.
  return found.filter(
    (one) =>
      !found.some(
        (other) =>
          other !== one &&
          other.word.kind.class !== 'packed' &&
          other.from <= one.from &&
          one.to <= other.to,
      ),
  );
}

/** One letter counts when it is set off: `wood_n`, `WoodN`, but not `034C`. */
function standsAlone(token: Token | undefined): boolean {
  return token !== undefined && token.openAfter && token.text.length === 1;
}

/** Maps named one after the other, and several in one word. */
function packedRuns(tokens: readonly Token[]): Found[] {
  const exact = exactWords(tokens).filter(
    ({ word }) => word.trust !== 'letter' && word.kind.class !== 'packed',
  );
  const found: Found[] = [];
  for (let first = 0; first < exact.length; first += 1) {
    const run: Found[] = [];
    for (const next of exact.slice(first)) {
      if (run.length > 0 && run.at(-1)?.to !== next.from) break;
      run.push(next);
      const kind = packedOf(run.map(({ word }) => word));
      const trust: Trust = run.some(({ word }) => word.trust === 'clear') ? 'clear' : 'noun';
      const start = run[0]?.from ?? 0;
      if (kind) found.push({ from: start, to: next.to, word: { kind, trust }, spelling: 'exact' });
    }
  }
  tokens.forEach(({ text }, at) => {
    const kind = wordOf(text) ? undefined : splitPacked(text);
    if (kind)
      found.push({ from: at, to: at + 1, word: { kind, trust: 'clear' }, spelling: 'exact' });
  });
  return found;
}

/** Typing errors, and maps glued to the material's name. */
function looseWords(tokens: readonly Token[]): Found[] {
  return tokens.flatMap(({ text, noise }, at): Found[] => {
    if (noise || wordOf(text) || splitPacked(text)) return [];
    const place = { from: at, to: at + 1 };
    const meant = meantWord(text);
    const glued = gluedMap(text);
    return [
      ...(meant ? [{ ...place, word: meant, spelling: 'typo' as const }] : []),
      ...(glued
        ? [{ ...place, word: glued.word, spelling: 'glued' as const, split: glued.at }]
        : []),
    ];
  });
}

function readingsAt(tokens: readonly Token[], place: Found): Reading[] {
  const { from, to, word, spelling, split } = place;
  const before = tokens.slice(0, from);
  const after = tokens.slice(to);
  const [next] = after;
  const deep = next !== undefined && !next.openBefore && bitDepths.has(next.text);
  const rest = after.filter(
    (token, at) => !token.noise && !(deep && at === 0) && !isUdim(token, at === after.length - 1),
  );
  const head = before.filter((token, at) => !token.noise && !isPrefix(token, at));
  const glued = split === undefined ? [] : [tokens[from]?.text.slice(0, split) ?? ''];
  const start = (tokens[from]?.start ?? 0) + (split ?? 0);
  const end = deep ? next.end : (tokens[to - 1]?.end ?? start);
  const noise = tokens.filter(
    (token, at) =>
      (token.noise || isPrefix(token, at) || isUdim(token, at === tokens.length - 1)) &&
      (at < from || at >= to),
  );
  const reading = (kept: readonly Token[], dropped: readonly Token[], copy?: number): Reading => ({
    kind: word.kind,
    trust: word.trust,
    spelling,
    place: placeOf(head.length + glued.length > 0, kept.length > 0),
    material: joined([...head.map(({ text }) => text), ...glued, ...kept.map(({ text }) => text)]),
    cut: [
      [start, end] as const,
      ...[...noise, ...dropped].map((token) => [token.start, token.end] as const),
    ],
    position: from,
    deep,
    ...(copy === undefined ? {} : { copy }),
  });
  const copies =
    rest.length > 0 && rest.every(({ text }) => copyWords.test(text) || /^\d{1,3}$/.test(text));
  if (!copies) return [reading(rest, [])];
  const named = rest.some(({ text }) => copyWords.test(text));
  const asCopy = reading([], rest, copyRank(rest));
  return named ? [asCopy] : [reading(rest, []), asCopy];
}

/** The lower the better: the last version, the first of several variants or copies. */
function copyRank(words: readonly Token[]): number {
  const has = (pattern: RegExp) => words.some(({ text }) => pattern.test(text));
  const number = Number(words.findLast(({ text }) => /^\d+$/.test(text))?.text ?? 0);
  if (has(/^(old|copy|test|alt)$/)) return 1000 + number;
  if (has(/^(final|fixed|new|edited)$/)) return -1000 - number;
  return has(/^(v|ver|version)$/) ? -number : number;
}

/** A tile number of a UDIM set, which ends a name. */
function isUdim({ text, openBefore }: Token, isLast: boolean): boolean {
  return isLast && openBefore && /^1[0-9]{3}$/.test(text) && text !== '1000';
}

/** `T_Wood_D`: what engines put before all their textures. */
export function isPrefix({ text, openAfter }: Token, at: number): boolean {
  return at === 0 && openAfter && (text === 't' || text === 'tx');
}

function placeOf(hasHead: boolean, hasTail: boolean): Reading['place'] {
  if (hasHead) return hasTail ? 'inside' : 'last';
  return hasTail ? 'first' : 'whole';
}

/** What a name is as a material: all its words but noise. */
export function materialKey(tokens: readonly Token[]): string {
  return joined(tokens.filter(({ noise }) => !noise).map(({ text }) => text));
}

/** Words as one key; two numbers side by side stay two. */
function joined(words: readonly string[]): string {
  return words.reduce(
    (key, next) => (/\d$/.test(key) && /^\d/.test(next) ? `${key} ${next}` : key + next),
    '',
  );
}
