// Reads the central directory of a zip archive, which is at the end of the file, so a truncated archive has none.
import type { ByteSource } from './byte-source.ts';
import { formatHint } from './file-formats.ts';
import { RejectedModelError } from './model-inspection.ts';

const localSignature = 0x04034b50;
const centralSignature = 0x02014b50;
const endSignature = 0x06054b50;
const endBytes = 22;
const centralBytes = 46;
const maxUint16 = 0xffff;
const maxUint32 = 0xffffffff;
/** Enough for 65,535 files with long names. */
const maxDirectoryBytes = 32 * 1024 * 1024;

interface Entry {
  name: string;
  offset: number;
  bytes: number;
  isStored: boolean;
}

/**
 * Checks that an archive is complete: all files that its directory lists lie before the directory. Its USD files must be
 * neither compressed nor encrypted, because programs for USD read them in place.
 * @returns the names of the files
 * @throws RejectedModelError
 */
export async function readZipDirectory(source: ByteSource): Promise<string[]> {
  const { at: endOffset, entries, bytes, offset } = await readZipEnd(source);
  if (entries === maxUint16 || bytes === maxUint32 || offset === maxUint32) throw zip64Error();
  if (offset + bytes > endOffset || bytes > maxDirectoryBytes)
    throw truncatedError('the position or size of its directory is invalid');
  const directory = Buffer.from(await source.read(offset, bytes));
  const directoryEntries = entriesOf(directory);
  if (directoryEntries.length !== entries) {
    throw truncatedError(`its directory lists ${directoryEntries.length} of ${entries} files`);
  }
  for (const entry of directoryEntries) {
    if (entry.bytes === maxUint32 || entry.offset === maxUint32) throw zip64Error();
    if (entry.offset + entry.bytes > offset) throw truncatedError(`"${entry.name}" is missing`);
    if (entry.isStored || !/\.usd[ac]?$/i.test(entry.name)) continue;
    const problem = `"${entry.name}" is compressed or encrypted in the archive, so programs for USD cannot read it.`;
    throw new RejectedModelError('container', 'NOT_A_ZIP', problem);
  }
  return directoryEntries.map(({ name }) => name);
}

function truncatedError(problem: string): RejectedModelError {
  return new RejectedModelError('container', 'TRUNCATED', `The archive is incomplete: ${problem}.`);
}

/** The maximum value of a field announces ZIP64, which OpenUSD does not read either. */
function zip64Error(): RejectedModelError {
  const reason =
    'programs for USD do not read this format; export less than 4 GiB and fewer than 65,535 files';
  return new RejectedModelError('container', 'NOT_A_ZIP', `The archive is a ZIP64: ${reason}.`);
}

/** Reads the record at the end of an archive. @throws RejectedModelError for another format or a truncated archive */
export async function readZipEnd(source: ByteSource) {
  const head = Buffer.from(await source.read(0, 512));
  if (head.length < 4 || head.readUInt32LE(0) !== localSignature) {
    const hint = formatHint(head, 'it does not start with a zip header.');
    const message = `The file is not a zip archive: ${hint}`;
    throw new RejectedModelError('container', 'NOT_A_ZIP', message);
  }
  const tailOffset = Math.max(0, source.size - endBytes - maxUint16);
  const tail = Buffer.from(await source.read(tailOffset, source.size - tailOffset));
  for (let index = tail.length - endBytes; index >= 0; index -= 1) {
    if (tail.readUInt32LE(index) !== endSignature) continue;
    const record = {
      at: tailOffset + index,
      entries: tail.readUInt16LE(index + 10),
      bytes: tail.readUInt32LE(index + 12),
      offset: tail.readUInt32LE(index + 16),
    };
    // The comment ends where the file ends, unless bytes were added to the file after the archive. Then the directory
    // ends where this record begins. Otherwise this is not the end record.
    const bytesAfter = tail.length - (index + endBytes + tail.readUInt16LE(index + 20));
    const followsDirectory = record.offset + record.bytes === record.at;
    if (bytesAfter === 0 || (bytesAfter > 0 && followsDirectory)) return record;
  }
  throw truncatedError('the directory at its end is missing');
}

function entriesOf(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let offset = 0; offset + centralBytes <= directory.length; ) {
    if (directory.readUInt32LE(offset) !== centralSignature) break;
    const nameBytes = directory.readUInt16LE(offset + 28);
    const extraBytes = directory.readUInt16LE(offset + 30) + directory.readUInt16LE(offset + 32);
    const nameEnd = offset + centralBytes + nameBytes;
    entries.push({
      name: directory.toString('utf8', offset + centralBytes, nameEnd),
      offset: directory.readUInt32LE(offset + 42),
      bytes: directory.readUInt32LE(offset + 20),
      // The flags, of which the first bit means encryption, precede the method of compression, of which 0 means none.
      isStored:
        (directory.readUInt16LE(offset + 8) & 1) === 0 && directory.readUInt16LE(offset + 10) === 0,
    });
    offset = nameEnd + extraBytes;
  }
  return entries;
}
