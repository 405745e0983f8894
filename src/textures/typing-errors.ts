// Recognizes misspelled map words: `roughnes`, `noraml`, `metalic`.
import { vocabulary, type Word } from './vocabulary.ts';
import { mapName } from './words.ts';

/** Shorter words are too similar to others. */
const shortestWord = 6;

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

/** Correct words by their first letter. */
const meanings = new Map<string, [string, Word][]>();
for (const [spelling, word] of vocabulary) {
  // `woodnormal` must not be read as a misspelt `worldnormal`.
  const isRare = mapName(word.kind) === 'bent-normal';
  if (spelling.length < shortestWord || word.trust !== 'clear' || isRare) continue;
  const letter = spelling.charAt(0);
  meanings.set(letter, [...(meanings.get(letter) ?? []), [spelling, word]]);
}

/** The word that a misspelled word means: same first letter and one error, or two errors in a long word. */
export function meantWord(token: string): Word | undefined {
  if (token.length < shortestWord - 1 || realWords.has(token)) return undefined;
  let best: { word: Word; slips: number } | undefined;
  for (const [spelling, word] of meanings.get(token.charAt(0)) ?? []) {
    const allowed = spelling.length >= 10 ? 2 : 1;
    if (Math.abs(spelling.length - token.length) > allowed) continue;
    const slips = singled(token) === singled(spelling) ? 1 : slipsBetween(token, spelling);
    if (slips <= allowed && (best === undefined || slips < best.slips)) best = { word, slips };
  }
  return best?.word;
}

/** Reduces double letters, the most frequent error, to single ones. */
function singled(word: string): string {
  return word.replace(/(.)\1/g, '$1');
}

/** Number of letters to insert, delete, change or swap with a neighbour (optimal string alignment). */
function slipsBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
      );
      const swapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      if (swapped) least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      line.push(least);
    }
    beforeLast = last;
    last = line;
  }
  return last[other.length] ?? 0;
}
