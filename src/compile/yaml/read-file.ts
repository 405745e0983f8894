import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { maxFileLength } from './document.ts';
import type { Problem } from './problem.ts';

export type FileText = { ok: true; text: string } | { ok: false; problem: Problem; reason: string };

/** Problems of files that do not exist: their JSON has no field for the cause. */
const missingFiles = new WeakSet<Problem>();

const noSuchFile = 'there is no such file';
const aFolder = 'it is a folder, not a file';
const notAllowed = 'it may not be read';
const reasons: Record<string, string> = {
  ENOENT: noSuchFile,
  ENOTDIR: noSuchFile,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EISDIR: aFolder,
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** What to do, where it is more specific than the fix of RL100. */
const hints: Record<string, string> = {
  [noSuchFile]: 'Check the path.',
  [aFolder]: 'Name a pipeline file in the folder.',
  [notAllowed]: 'Give this user permission to read the file.',
};

/** The text, or a problem at 1:1 that names the file as `shown`. Reads at most one byte more than is allowed. */
export async function readPipelineFile(path: string, shown: string): Promise<FileText> {
  const refuse = (why: string, code?: 'RL105') => unreadableFile(shown, why, code);
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (stat.isDirectory()) return refuse(aFolder);
      if (!stat.isFile()) return refuse('it is not a regular file');
      if (stat.size > maxFileLength) {
        const why = `it has ${stat.size} bytes, more than the maximum of ${maxFileLength}`;
        return refuse(why, 'RL105');
      }
      const buffer = Buffer.alloc(maxFileLength + 1);
      const bytes = buffer.subarray(0, (await handle.read(buffer, 0, buffer.length, 0)).bytesRead);
      return decode(shown, bytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const refusal = refuse(reasons[code] ?? `it cannot be read (${code || 'unknown cause'})`);
    if (code === 'ENOENT' || code === 'ENOTDIR') missingFiles.add(refusal.problem);
    return refusal;
  }
}

/** True if the problem says that a given file does not exist. */
export function isMissingFile(problem: Problem): boolean {
  return missingFiles.has(problem);
}

function decode(shown: string, bytes: Buffer): FileText {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return unreadableFile(shown, 'it is UTF-16; save it as UTF-8');
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return unreadableFile(shown, 'it is not UTF-8 text');
  }
}

function unreadableFile(
  file: string,
  why: string,
  code: 'RL100' | 'RL105' = 'RL100',
): Extract<FileText, { ok: false }> {
  const message = `${file} cannot be used: ${why}`;
  const hint = hints[why];
  const place = { file, line: 1, col: 1 };
  const problem: Problem = { code, severity: 'error', message, ...place, ...(hint && { hint }) };
  return { ok: false, problem, reason: why };
}
