import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { maxFileLength } from './document.ts';
import type { Problem } from './problem.ts';

export type FileText = { ok: true; text: string } | { ok: false; problem: Problem; reason: string };

/** Problems about files that do not exist. Their JSON has no field for the cause. */
const missingFiles = new WeakSet<Problem>();

interface Refusal {
  reason: string;
  /** What to do, if this is more specific than the fix of the code. */
  hint?: string;
  /** @default RL100 */
  code?: 'RL105';
}

const noSuchFile: Refusal = { reason: 'it does not exist', hint: 'Check the path of the file.' };
const aFolder: Refusal = {
  reason: 'it is a folder, not a file',
  hint: 'Use a pipeline file in the folder.',
};
const notAllowed: Refusal = {
  reason: 'permission denied',
  hint: 'Grant this user permission to read the file.',
};
const refusals: Record<string, Refusal> = {
  ENOENT: noSuchFile,
  ENOTDIR: noSuchFile,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EISDIR: aFolder,
  ELOOP: { reason: 'its links form a loop' },
  ENAMETOOLONG: { reason: 'its name is too long' },
};

/** Reads the text, or returns a problem at 1:1 that refers to the file as `label`. Reads at most one byte too many. */
export async function readPipelineFile(path: string, label: string): Promise<FileText> {
  const refuse = (refusal: Refusal) => toUnreadableFile(label, refusal);
  try {
    // O_NONBLOCK is set, because opening a named pipe would otherwise wait for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (stat.isDirectory()) return refuse(aFolder);
      if (!stat.isFile()) return refuse({ reason: 'it is not a regular file' });
      if (stat.size > maxFileLength) {
        const reason = `it has ${stat.size} bytes; the maximum is ${maxFileLength}`;
        return refuse({ reason, code: 'RL105' });
      }
      const buffer = Buffer.alloc(maxFileLength + 1);
      const bytes = buffer.subarray(0, (await handle.read(buffer, 0, buffer.length, 0)).bytesRead);
      return decode(label, bytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return refuse(refusals[code] ?? { reason: `it cannot be read (${code || 'unknown cause'})` });
  }
}

/** True if the problem is that a given file does not exist. */
export function isMissingFile(problem: Problem): boolean {
  return missingFiles.has(problem);
}

function decode(label: string, bytes: Buffer): FileText {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return toUnreadableFile(label, { reason: 'it is UTF-16; save it as UTF-8' });
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return toUnreadableFile(label, { reason: 'it is not UTF-8 text' });
  }
}

function toUnreadableFile(file: string, refusal: Refusal): FileText {
  const { reason, hint, code = 'RL100' } = refusal;
  const message = `${file} cannot be used: ${reason}`;
  const position = { file, line: 1, col: 1 };
  const problem: Problem = { code, severity: 'error', message, ...position, ...(hint && { hint }) };
  if (refusal === noSuchFile) missingFiles.add(problem);
  return { ok: false, problem, reason };
}
