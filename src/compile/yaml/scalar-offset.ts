// Maps offsets in the value of a scalar to offsets in the file. They differ by quotes, escapes and indentation.
import type { Scalar } from 'yaml';
import type { Range } from './source-text.ts';

const escapeLengths: Record<string, number> = { x: 4, u: 6, U: 10 };

/** Offsets by scalar, cached because thousands of positions may be looked up in one text. */
const known = new WeakMap<Scalar, Uint32Array>();

/** Offset in `text` of the character `index` of the scalar's value. Falls back to the start of the scalar. */
export function offsetInScalar(
  text: string,
  scalar: Scalar | null,
  index: number,
  range: Range,
): number {
  if (scalar === null || typeof scalar.value !== 'string') return range[0];
  let offsets = known.get(scalar);
  if (offsets === undefined) {
    offsets = walk(text, scalar, scalar.value, range);
    known.set(scalar, offsets);
  }
  return offsets[Math.min(index, offsets.length - 1)] ?? range[0];
}

/** Offsets of all characters of the value, and of its end. */
function walk(text: string, scalar: Scalar, value: string, [start, end]: Range): Uint32Array {
  const offsets = new Uint32Array(value.length + 1);
  const quoted = scalar.type === 'QUOTE_DOUBLE' || scalar.type === 'QUOTE_SINGLE';
  const block = scalar.type === 'BLOCK_FOLDED' || scalar.type === 'BLOCK_LITERAL';
  let at = start;
  if (quoted) at += 1;
  if (block) at = Math.min(end, text.indexOf('\n', start) + 1);
  for (let i = 0; i < value.length; i++) {
    const next = text[at];
    let length = 1;
    if (scalar.type === 'QUOTE_DOUBLE' && next === '\\') {
      length = escapeLengths[text[at + 1] ?? ''] ?? 2;
    } else if (next === value[i]) {
      if (scalar.type === 'QUOTE_SINGLE' && next === "'") length = 2;
    } else {
      // Indentation and folded line ends are in the text but not in the value.
      while (at < end && text[at] !== value[i]) at += 1;
    }
    offsets[i] = Math.min(at, end);
    at += length;
  }
  offsets[value.length] = Math.min(at, end);
  return offsets;
}
