// Chooses the best of several files for a channel. The others are duplicates.
import type { FileName } from './file-name.ts';
import { findNormalConvention } from './folders.ts';
import type { Reading } from './readings.ts';
import { type Token, tokensOf } from './tokens.ts';

export interface ClassifiedFile extends FileName {
  readonly tokens: readonly Token[];
  readonly reading: Reading;
}

/** File types that materials accept, best first: PNG is lossless, and few programs read EXR. */
const uploadable = ['png', 'jpg', 'jpeg', 'exr'];

/** Sorts files, best first. */
export function sortByRank(files: readonly ClassifiedFile[]): ClassifiedFile[] {
  if (files.length < 2) return [...files];
  const rated = files.map((file) => ({ file, ranks: ranksOf(file) }));
  rated.sort((a, b) => compareRanks(a.ranks, b.ranks) || (a.file.path < b.file.path ? -1 : 1));
  return rated.map(({ file }) => file);
}

/** Negative if the first different rank of `a` is lower. */
export function compareRanks(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((rank, position) => rank !== b[position]);
  return (a[index] ?? 0) - (b[index] ?? 0);
}

const bitDepthWords = /^(?:16|32)(?:bits?|bpc)$/;

/**
 * Returns the ranks of a file, the most important first. Lower is better. Best is: uploadable, OpenGL, no LOD, large,
 * lowest tile, preferred copy, 8 bits, exact spelling, clear word or abbreviation, common format.
 */
function ranksOf(file: ClassifiedFile): number[] {
  const { extension, tokens, folders, reading } = file;
  const { kind, copy, tile, hasBitDepth, spelling, wordClass } = reading;
  const allTokens = [...tokens, ...folders.flatMap(tokensOf)];
  const format = uploadable.indexOf(extension);
  const convention =
    (kind.class === 'channel' ? kind.convention : undefined) ?? findNormalConvention(file);
  return [
    format < 0 ? 1 : 0,
    convention === 'dx' ? 1 : 0,
    tokens.some(({ noise }) => noise?.is === 'lod') ? 1 : 0,
    -countPixels(allTokens),
    tile ?? 0,
    copy ?? 0,
    hasBitDepth || allTokens.some(({ text }) => bitDepthWords.test(text)) ? 1 : 0,
    spelling === 'exact' ? 0 : 1,
    wordClass === 'clear' || wordClass === 'short' ? 0 : 1,
    format,
  ];
}

function countPixels(tokens: readonly Token[]): number {
  return Math.max(0, ...tokens.map(({ noise }) => (noise?.is === 'resolution' ? noise.pixels : 0)));
}
