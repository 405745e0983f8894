// Decodes a table file as saved by spreadsheets. Pure.
import { isUtf8 } from 'node:buffer';
import { TableError } from './table-error.ts';

const byteOrderMarks = [
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;
const lineEnd = 0x0a;

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. Guessing any other encoding wrongly would change names.
 *
 * @throws TableError for invalid text, with the line of its first wrong byte (1 after a byte order mark) and the likely
 * cause
 */
export function decodeTableText(bytes: Uint8Array): string {
  const mark = byteOrderMarks.find(
    ({ bytes: [first, second] }) => bytes[0] === first && bytes[1] === second,
  );
  const encoding = mark?.encoding ?? 'utf-8';
  const nulOffset = mark === undefined ? bytes.indexOf(0) : -1;
  if (nulOffset !== -1) {
    throw encodingError(
      findLine(bytes, nulOffset),
      `is probably UTF-16${nulOffset % 2 === 0 ? 'BE' : 'LE'} without a byte order mark`,
    );
  }
  if (mark === undefined && !isUtf8(bytes)) {
    const { line, text } = findInvalidLine(bytes);
    throw encodingError(line, `is not UTF-8; it is probably Windows-1252 ("${text}")`);
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw encodingError(
      1,
      `has the byte order mark of ${encoding.toUpperCase()} but is not valid text in this encoding`,
    );
  }
}

/**
 * Returns the table in UTF-8.
 * @throws TableError as `decodeTableText`
 */
export function toTableUtf8(bytes: Uint8Array): Uint8Array {
  const isPlain = isUtf8(bytes) && !bytes.includes(0);
  return isPlain ? bytes : new TextEncoder().encode(decodeTableText(bytes));
}

function encodingError(line: number, problem: string): TableError {
  return new TableError(`line ${line}: ${problem}; save the table as "CSV UTF-8"`);
}

function findLine(bytes: Uint8Array, offset: number): number {
  return bytes.subarray(0, offset).filter((byte) => byte === lineEnd).length + 1;
}

/** Finds the first line that is not valid UTF-8, and its text decoded as Windows-1252. */
function findInvalidLine(bytes: Uint8Array): { line: number; text: string } {
  let start = 0;
  for (let line = 1; ; line++) {
    const next = bytes.indexOf(lineEnd, start);
    const end = next === -1 ? bytes.length : next;
    const part = bytes.subarray(start, end);
    if (next === -1 || !isUtf8(part)) {
      const text = new TextDecoder('windows-1252').decode(part).trim().slice(0, 60);
      return { line, text };
    }
    start = end + 1;
  }
}
