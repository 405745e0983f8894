// Reads the central directory of a zip archive, which is at the end of the file: a truncated archive has none.
import type { ByteSource } from './byte-source.ts';
import { formatHint } from './file-formats.ts';
import { RejectedModelError } from './model-inspection.ts';

const localSignature = 0x04034b50;
const centralSignature = 0x02014b50;
const endSignature = 0x06054b50;
const endBytes = 22;
const centralBytes = 46;
const maxCommentLength = 0xffff;
/** Enough for 65,535 files with long names; only a zip64 archive, which is refused, has more. */
const maxDirectoryBytes = 32 * 1024 * 1024;

interface Entry {
  name: string;
  offset: number;
  bytes: number;
}

/**
 * Checks that an archive is complete: all files that its directory lists lie before the directory.
 * @returns the names of the files
 * @throws RejectedModelError
 */
export async function readZipDirectory(source: ByteSource): Promise<string[]> {
  const head = Buffer.from(await source.read(0, 512));
  if (head.length < 4 || head.readUInt32LE(0) !== localSignature) {
    const hint = formatHint(head, 'it does not start with a zip header.');
    throw new RejectedModelError(
      'container',
      'NOT_A_ZIP',
      `The file is not a zip archive: ${hint}`,
    );
  }
  const { at, entries, bytes, offset } = await findEnd(source);
  if (offset + bytes > at || bytes > maxDirectoryBytes)
    throw truncatedError('its directory does not fit');
  const directory = Buffer.from(await source.read(offset, bytes));
  const found = entriesOf(directory);
  if (found.length !== entries) {
    throw truncatedError(`its directory lists ${found.length} files of ${entries}`);
  }
  for (const entry of found) {
    const local = Buffer.from(await source.read(entry.offset, 4));
    const hasLocalHeader = local.length === 4 && local.readUInt32LE(0) === localSignature;
    if (!hasLocalHeader || entry.offset + entry.bytes > offset)
      throw truncatedError(`"${entry.name}" is not in it`);
  }
  return found.map(({ name }) => name);
}

function truncatedError(why: string): RejectedModelError {
  return new RejectedModelError('container', 'TRUNCATED', `The archive is incomplete: ${why}.`);
}

async function findEnd(source: ByteSource) {
  const from = Math.max(0, source.size - endBytes - maxCommentLength);
  const tail = Buffer.from(await source.read(from, source.size - from));
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endSignature) continue;
    // The comment must end where the file ends.
    if (at + endBytes + tail.readUInt16LE(at + 20) !== tail.length) continue;
    return {
      at: from + at,
      entries: tail.readUInt16LE(at + 10),
      bytes: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
  }
  throw truncatedError('it has no directory at its end');
}

function entriesOf(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + centralBytes <= directory.length; ) {
    if (directory.readUInt32LE(at) !== centralSignature) break;
    const nameBytes = directory.readUInt16LE(at + 28);
    const more = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    const name = directory.toString('utf8', at + centralBytes, at + centralBytes + nameBytes);
    const bytes = directory.readUInt32LE(at + 20);
    entries.push({ name, offset: directory.readUInt32LE(at + 42), bytes });
    at += centralBytes + nameBytes + more;
  }
  return entries;
}
