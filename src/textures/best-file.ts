// Several files for one channel: which one is taken, the others are duplicates.
import type { FileName } from './file-name.ts';
import type { Reading } from './readings.ts';
import { type Token, tokensOf } from './tokens.ts';

export interface ReadFile extends FileName {
  readonly tokens: readonly Token[];
  readonly reading: Reading;
}

/** What materials can be made of (4.9), best first: no loss, then what every reader knows. */
const uploadable = ['png', 'jpg', 'jpeg', 'exr'];

/** Negative when the first file is the better one. */
export function compareFiles(one: ReadFile, other: ReadFile): number {
  const [left, right] = [merits(one), merits(other)];
  for (const [at, value] of left.entries()) {
    const difference = value - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.path < other.path ? -1 : 1;
}

/** The lower the better: uploadable, OpenGL, no LOD, large, the wanted copy, 8 bits, a common format. */
function merits({ extension, tokens, folders, reading }: ReadFile): number[] {
  const { kind, copy, deep, spelling, trust } = reading;
  const format = uploadable.indexOf(extension);
  const flavor = kind.class === 'channel' ? kind.flavor : undefined;
  return [
    format < 0 ? 1 : 0,
    flavor === 'dx' ? 1 : 0,
    tokens.some(({ noise }) => noise?.is === 'lod') ? 1 : 0,
    -pixels([...tokens, ...folders.flatMap(tokensOf)]),
    copy ?? 0,
    deep ? 1 : 0,
    spelling === 'exact' ? 0 : 1,
    trust === 'clear' || trust === 'short' ? 0 : 1,
    format,
  ];
}

function pixels(tokens: readonly Token[]): number {
  return Math.max(0, ...tokens.map(({ noise }) => (noise?.is === 'resolution' ? noise.pixels : 0)));
}
