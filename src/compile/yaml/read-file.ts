import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { maxFileLength } from './document.ts';
import type { Problem } from './problem.ts';

export type FileText = { ok: true; text: string } | { ok: false; problem: Problem; reason: string };

/** Problems of files that do not exist: their JSON has no field for the cause. */
const missingFiles = new WeakSet<Problem>();

interface Refusal {
  why: string;
  /** What to do, if that is more specific than the fix of the code. */
  hint?: string;
  /** @default RL100 */
  code?: 'RL105';
}

const noSuchFile: Refusal = { why: 'there is no such file', hint: 'Check the path.' };
const aFolder: Refusal = {
  why: 'it is a folder, not a file',
  hint: 'Name a pipeline file in the folder.',
};
const notAllowed: Refusal = {
  why: 'it may not be read',
  hint: 'Give this user permission to read the file.',
};
const refusals: Record<string, Refusal> = {
  ENOENT: noSuchFile,
  ENOTDIR: noSuchFile,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EISDIR: aFolder,
  ELOOP: { why: 'its links lead in a circle' },
  ENAMETOOLONG: { why: 'its name is too long' },
};

/** The text, or a problem at 1:1 that names the file as `shown`. Reads at most one byte more than is allowed. */
export async function readPipelineFile(path: string, shown: string): Promise<FileText> {
  const refuse = (refusal: Refusal) => unreadableFile(shown, refusal);
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (stat.isDirectory()) return refuse(aFolder);
      if (!stat.isFile()) return refuse({ why: 'it is not a regular file' });
      if (stat.size > maxFileLength) {
        const why = `it has ${stat.size} bytes, more than the maximum of ${maxFileLength}`;
        return refuse({ why, code: 'RL105' });
      }
      const buffer = Buffer.alloc(maxFileLength + 1);
      const bytes = buffer.subarray(0, (await handle.read(buffer, 0, buffer.length, 0)).bytesRead);
      return decode(shown, bytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return refuse(refusals[code] ?? { why: `it cannot be read (${code || 'unknown cause'})` });
  }
}

/** True if the problem says that a given file does not exist. */
export function isMissingFile(problem: Problem): boolean {
  return missingFiles.has(problem);
}

function decode(shown: string, bytes: Buffer): FileText {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return unreadableFile(shown, { why: 'it is UTF-16; save it as UTF-8' });
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return unreadableFile(shown, { why: 'it is not UTF-8 text' });
  }
}

function unreadableFile(file: string, refusal: Refusal): FileText {
  const { why, hint, code = 'RL100' } = refusal;
  const message = `${file} cannot be used: ${why}`;
  const place = { file, line: 1, col: 1 };
  const problem: Problem = { code, severity: 'error', message, ...place, ...(hint && { hint }) };
  if (refusal === noSuchFile) missingFiles.add(problem);
  return { ok: false, problem, reason: why };
}
