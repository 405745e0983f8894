// Inspects a downloaded PDF before it is renamed: it must be complete from header to trailer and have a page.
import { type FileHandle, open } from 'node:fs/promises';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { deliveryFailures } from '../failures.ts';
import { OutputError } from '../outputs/output-error.ts';

const tailBytes = 2_048;
/** PDFs above this size are not searched for a page. Production files have a few megabytes. */
const maxCounted = 64 * 1024 ** 2;
const chunkBytes = 1024 ** 2;
/** Length of the longest pattern, so that no match is missed at the border of two chunks. */
const maxTypeLength = 32;

/** @throws OutputError OUTPUT_UNREADABLE */
export async function inspectPdf(
  file: string,
  output: OutputRef,
): Promise<{ width: number; height: number }> {
  const handle = await open(file, 'r');
  try {
    const problem = await findProblem(handle);
    if (problem !== null)
      throw new OutputError(deliveryFailures.OUTPUT_UNREADABLE, output, problem);
    return { width: 0, height: 0 };
  } finally {
    await handle.close();
  }
}

async function findProblem(handle: FileHandle): Promise<string | null> {
  const { size } = await handle.stat();
  const head = await textAt(handle, 0, 1_024);
  if (!head.includes('%PDF-')) return 'is no PDF';
  const tail = await textAt(handle, Math.max(0, size - tailBytes), tailBytes);
  const xrefOffset = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
  if (Number.isNaN(xrefOffset)) return 'is a PDF that was cut: its trailer is missing';
  // The object table, in the classic form (`xref`) or as a stream object.
  const table = xrefOffset < size ? await textAt(handle, xrefOffset, 40) : '';
  if (!/^\s*(?:xref|\d+\s+\d+\s+obj)/.test(table)) {
    return 'is a damaged PDF: the list of its objects is not where its trailer says';
  }
  if (size > maxCounted) return null;
  return (await mayHavePage(handle, size)) ? null : 'is a PDF without a page';
}

/** True if the PDF may have a page. Reads in chunks, so that a large file does not block other work. */
async function mayHavePage(handle: FileHandle, size: number): Promise<boolean> {
  for (let at = 0; at < size; at += chunkBytes) {
    const piece = await textAt(handle, at, chunkBytes + maxTypeLength);
    // Compressed object streams may contain pages.
    if (/\/Type\s{0,16}\/(?:ObjStm|Page(?![a-zA-Z]))/.test(piece)) return true;
  }
  return false;
}

async function textAt(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('latin1', 0, bytesRead);
}
