// Finds the words of a name that may mean a map: exact, in sequence, joined to another word, or misspelled.

import { findWord, maxTokensOfWord, resolvePackedLetter } from './map-words.ts';
import { findJoinedMap, findPackedMap, splitPacked } from './packed-maps.ts';
import type { Token } from './tokens.ts';
import { correctTypo } from './typos.ts';
import { type Word, type WordClass } from './vocabulary.ts';

/** How the map is spelled: `exact`, with a `typo`, or `joined` to the preceding word. `none`: no word means a map. */
export type Spelling = 'exact' | 'typo' | 'joined' | 'none';

export interface MatchedWord {
  readonly from: number;
  readonly to: number;
  readonly word: Word;
  readonly spelling: Spelling;
  /** For joined words: index in the first token where the map's word starts. */
  readonly split?: number;
  /** True if another reading wins when neither is supported: `base_color` is one word, `smooth_roughness` is two. */
  readonly isUncertain?: boolean;
}

const workflows = new Set(['metalness', 'specular', 'metallic']);

/** Finds all words of a name that may mean its map. */
export function findMapWords(tokens: readonly Token[]): MatchedWord[] {
  return [...findExactWords(tokens), ...findPackedRuns(tokens), ...findInexactWords(tokens)];
}

/** Marks the name of a workflow after the resolution as noise, since it does not mean a map: `COL_2K_METALNESS`. */
export function markWorkflowAsNoise(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.at(-1);
  if (!last || !workflows.has(last.text)) return tokens;
  const tokensBefore = tokens.slice(0, -1);
  if (tokensBefore.at(-1)?.noise?.is !== 'resolution') return tokens;
  const hasMap = findExactWords(tokensBefore).some(
    ({ from, word }) =>
      from > 0 && word.wordClass !== 'letter' && !isOrdinaryWord(tokensBefore, from, word),
  );
  return hasMap ? [...tokensBefore, { ...last, noise: { is: 'wording' } }] : tokens;
}

/** True for a common word that is followed by another word or number: "rusty metal 02". */
function isOrdinaryWord(tokens: readonly Token[], index: number, word: Word): boolean {
  return word.wordClass === 'noun' && tokens.slice(index + 1).some(({ noise }) => !noise);
}

function findExactWords(tokens: readonly Token[]): MatchedWord[] {
  const matches: MatchedWord[] = [];
  for (let from = 0; from < tokens.length; from += 1) {
    // The longest spelling has priority: `Base Color` is not `Base` and `Color`.
    for (let to = Math.min(tokens.length, from + maxTokensOfWord); to > from; to -= 1) {
      const run = tokens.slice(from, to);
      const isRun = run.every(
        ({ text, noise, isAfterSeparator }) =>
          (text.length > 1 || !isAfterSeparator) && (!noise || noise.is === 'wording'),
      );
      const word = findWord(run.map(({ text }) => text).join(''));
      if (!word || (run.length > 1 && !isRun && !isConventioned(word, run))) continue;
      if (word.wordClass === 'letter' && !isAloneToken(tokens, from)) continue;
      matches.push({ from, to, word, spelling: 'exact' });
      break;
    }
  }
  return matches.flatMap((match) => {
    const outerMatch = matches.find((other) => other !== match && isInsideMatch(match, other));
    if (!outerMatch) return [match];
    return isNameStart(tokens, outerMatch.from) ? [{ ...match, isUncertain: true }] : [];
  });
}

/** True if one match is part of another: `Normal` inside `Bent Normal`, but not `rough` inside `metal rough`. */
function isInsideMatch(match: MatchedWord, other: MatchedWord): boolean {
  return other.word.kind.class !== 'packed' && other.from <= match.from && match.to <= other.to;
}

/** True if the first word also occurs in product names: `sofa_base_color`, `base_coat_normal`. */
function isNameStart(tokens: readonly Token[], index: number): boolean {
  const first = tokens[index];
  return first?.isBeforeSeparator === true && findWord(first.text)?.wordClass === 'noun';
}

/** True for a letter with a normal convention: `N_GL`. */
function isConventioned({ kind }: Word, run: readonly Token[]): boolean {
  return (
    kind.class === 'channel' && kind.convention !== undefined && run.every(({ noise }) => !noise)
  );
}

/** True for a single letter, optionally with a number: `wood_n`, `WoodN`, `wood_n01`, but not `034C`. */
function isAloneToken(tokens: readonly Token[], index: number): boolean {
  const [token, next] = tokens.slice(index, index + 2);
  if (token?.text.length !== 1) return false;
  if (token.isBeforeSeparator) return true;
  const hasNumber = next?.isBeforeSeparator === true && /^\d{1,3}$/.test(next.text);
  return index > 0 && token.isAfterSeparator && hasNumber;
}

/** Finds packed maps: several maps in sequence, or in one word. */
function findPackedRuns(tokens: readonly Token[]): MatchedWord[] {
  const parts = findExactWords(tokens).flatMap((match) => partOf(match) ?? []);
  const matches: MatchedWord[] = [];
  for (let first = 0; first < parts.length; first += 1) {
    const run: MatchedWord[] = [];
    for (const next of parts.slice(first)) {
      const last = run.at(-1);
      if (last && !isAdjacent(tokens, last.to, next.from)) break;
      run.push(next);
      const kind = isSpelledRun(run) ? findPackedMap(run.map(({ word }) => word)) : undefined;
      const from = run[0]?.from ?? 0;
      if (!kind) continue;
      const word = { kind, wordClass: trustOf(run) };
      const isUncertain = isNameStart(tokens, from);
      matches.push({ from, to: next.to, word, spelling: 'exact', isUncertain });
    }
  }
  for (const [from, { text }] of tokens.entries()) {
    const kind = findWord(text) ? undefined : splitPacked(text);
    const word = kind && { kind, wordClass: 'clear' as const };
    if (word) matches.push({ from, to: from + 1, word, spelling: 'exact' });
  }
  return matches;
}

/** Returns a map's word as part of a packed map, where letters have other meanings. Undefined if impossible. */
function partOf(match: MatchedWord): MatchedWord | undefined {
  const { kind, wordClass } = match.word;
  if (kind.class === 'packed') return undefined;
  if (wordClass !== 'letter') return match;
  const letter = resolvePackedLetter(match.word);
  return letter && { ...match, word: { kind: letter, wordClass } };
}

/** Words inside packed names that are not maps: `roughness and metallic`, Unity's `Metallic_AO_Detail_Smoothness`. */
const connectives = new Set(['and', 'detail']);

/** True if two words are adjacent, like `Roughness_Metallic`, or have one of the `connectives` between them. */
function isAdjacent(tokens: readonly Token[], end: number, start: number): boolean {
  return end === start || (end + 1 === start && connectives.has(tokens[end]?.text ?? ''));
}

/**
 * True for words alone, abbreviations then letters, or three parts: `BC_R` and `O_R_M` are packed maps,
 * the R of `Normal_R` means right.
 */
function isSpelledRun(run: readonly MatchedWord[]): boolean {
  const words = run.filter(({ word }) => word.wordClass !== 'letter');
  if (words.length === run.length) return true;
  if (words.length > 0 && words[0] !== run[0]) return false;
  return (
    run.length > 2 || (words.length > 0 && words.every(({ word }) => word.wordClass === 'short'))
  );
}

function trustOf(run: readonly MatchedWord[]): WordClass {
  const classes: readonly WordClass[] = ['clear', 'short'];
  return (
    classes.find((wordClass) => run.some(({ word }) => word.wordClass === wordClass)) ?? 'noun'
  );
}

/** Finds misspelled words, and maps joined to the material's name. */
function findInexactWords(tokens: readonly Token[]): MatchedWord[] {
  return tokens.flatMap(({ text, noise, isAfterSeparator }, index): MatchedWord[] => {
    if (noise || findWord(text) || splitPacked(text)) return [];
    const range = { from: index, to: index + 1 };
    const correctedWord = correctTypo(text);
    // `OAKdiffuse` is split into `OA` and `Kdiffuse`.
    const joinedMap = isAfterSeparator ? findJoinedMap(text) : findJoinedMap(text, 1);
    return [
      ...(correctedWord ? [{ ...range, word: correctedWord, spelling: 'typo' as const }] : []),
      ...(joinedMap
        ? [{ ...range, word: joinedMap.word, spelling: 'joined' as const, split: joinedMap.at }]
        : []),
    ];
  });
}
