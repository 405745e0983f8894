// Tells whether a record was made from the current content of a file, even if the file has a new time.
import type { AssetSource } from '../../../plan/types.ts';
import { type AssetRecord, isSameVersion, type RecordEntry } from '../../records/records.ts';
import { bytesOfVersion, canReuseWork } from '../../records/source-version.ts';

/** Returns the sha256 (hex) of a source, or a value of another type if the source cannot be read. */
export type HashFile = (source: AssetSource) => Promise<unknown>;

/** False if the name of the record shows that the content was another one. */
export function mayBeSameFile(
  entry: RecordEntry,
  { version, bytes }: Pick<AssetSource, 'version' | 'bytes'>,
): boolean {
  return isSameVersion(entry, version) || bytesOfVersion(entry.version) === bytes;
}

export async function isSameFile(
  { source, sourceSha256 }: Pick<AssetRecord, 'source' | 'sourceSha256'>,
  current: AssetSource,
  hash: HashFile,
): Promise<boolean> {
  if (canReuseWork(source.version, current.version)) return true;
  if (sourceSha256 === undefined || source.bytes !== current.bytes) return false;
  return sourceSha256 === (await hash(current));
}
