// Looks at a delivered PDF before it gets its name: whole from header to trailer, and with a page.
import { type FileHandle, open } from 'node:fs/promises';
import type { OutputRef } from '../renders/refs.ts';
import { deliveryFailures } from './failures.ts';
import { OutputError } from './output-error.ts';

const endBytes = 2_048;
/** Sheets have a few megabytes; pages of larger files are not counted. */
const countedAtMost = 64 * 1024 ** 2;
const pieceBytes = 1024 ** 2;
/** Of the words looked for, so that none is missed between two pieces. */
const longestType = 32;

/** @throws OutputError OUTPUT_UNREADABLE */
export async function inspectPdf(
  file: string,
  output: OutputRef,
): Promise<{ width: number; height: number }> {
  const handle = await open(file, 'r');
  try {
    const problem = await problemOf(handle);
    if (problem !== null)
      throw new OutputError(deliveryFailures.OUTPUT_UNREADABLE, output, problem);
    return { width: 0, height: 0 };
  } finally {
    await handle.close();
  }
}

async function problemOf(handle: FileHandle): Promise<string | null> {
  const { size } = await handle.stat();
  const head = await textAt(handle, 0, 1_024);
  if (!head.includes('%PDF-')) return 'is no PDF';
  const tail = await textAt(handle, Math.max(0, size - endBytes), endBytes);
  const at = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
  if (Number.isNaN(at)) return 'is a PDF that was cut: its trailer is missing';
  // The table of its objects, in the old form or as an object itself.
  const table = at < size ? await textAt(handle, at, 40) : '';
  if (!/^\s*(?:xref|\d+\s+\d+\s+obj)/.test(table)) {
    return 'is a damaged PDF: the list of its objects is not where its trailer says';
  }
  if (size > countedAtMost) return null;
  return (await mayHavePage(handle, size)) ? null : 'is a PDF without a page';
}

/** A piece at a time, so that nobody else waits for a large file. */
async function mayHavePage(handle: FileHandle, size: number): Promise<boolean> {
  for (let at = 0; at < size; at += pieceBytes) {
    const piece = await textAt(handle, at, pieceBytes + longestType);
    // Pages inside compressed objects cannot be seen from outside.
    if (/\/Type\s{0,16}\/(?:ObjStm|Page(?![a-zA-Z]))/.test(piece)) return true;
  }
  return false;
}

async function textAt(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('latin1', 0, bytesRead);
}
