// Recognizes misspelled map words: `roughnes`, `noraml`, `metalic`.

import { computeEditDistance } from '../api/requests/nearest-name.ts';
import { mapName } from './map-words.ts';
import { vocabulary, type Word } from './vocabulary.ts';

/** Shorter words are too similar to others. */
const minWordLength = 6;

/** Real words that are similar to a map's word. */
const realWords = new Set([
  'metallica',
  'metallics',
  'material',
  'materials',
  'diffuser',
  'diffused',
  'colorway',
  'hight',
  'cavities',
  'speculars',
]);

const wordsByLetter = new Map<string, [string, Word][]>();
for (const [spelling, word] of vocabulary) {
  // `woodnormal` must not be read as a misspelt `worldnormal`.
  const isRare = mapName(word.kind) === 'bent-normal';
  if (spelling.length < minWordLength || word.wordClass !== 'clear' || isRare) continue;
  const letter = spelling.charAt(0);
  wordsByLetter.set(letter, [...(wordsByLetter.get(letter) ?? []), [spelling, word]]);
}

/** Returns the word that a misspelled word means: same first letter and one error, or two errors in a long word. */
export function correctTypo(token: string): Word | undefined {
  if (token.length < minWordLength - 1 || realWords.has(token)) return undefined;
  let best: { word: Word; edits: number } | undefined;
  for (const [spelling, word] of wordsByLetter.get(token.charAt(0)) ?? []) {
    const maxEdits = spelling.length >= 10 ? 2 : 1;
    if (Math.abs(spelling.length - token.length) > maxEdits) continue;
    const edits =
      collapseDoubleLetters(token) === collapseDoubleLetters(spelling)
        ? 1
        : computeEditDistance(token, spelling);
    if (edits <= maxEdits && (best === undefined || edits < best.edits)) best = { word, edits };
  }
  return best?.word;
}

/** Reduces double letters, the most frequent error, to single ones. */
function collapseDoubleLetters(word: string): string {
  return word.replace(/(.)\1/g, '$1');
}
