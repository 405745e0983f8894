// Reads source files in pieces, detects files that have changed since they were listed, and distinguishes errors of one
// file from errors that would affect all files.
import {
  LinkExpiredError,
  SourceChangedError,
  TransferError,
} from '../../api/errors/transfer-errors.ts';
import type { Connector, Entry } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { assetFailures } from '../../failures/assets.ts';
import type { FailureReason } from '../../failures/fail.ts';
import type { ByteSource } from '../../glb/byte-source.ts';
import type { AssetSource } from '../../plan/types.ts';
import { setVersion } from '../../store/records/source-set.ts';
import { hasSameBase, rowSourceOf, sourceOf } from '../../store/records/source-version.ts';

/** Minimum number of bytes per read. It covers the header and scene description of nearly every model in one read. */
const pieceBytes = 64 * 1024;

/**
 * Asserts that the file is as listed. Suffixes of versions, such as the store's change time, are ignored, because the
 * next run compares the hash of the uploaded bytes. A file with a new time and the same content keeps its earlier
 * version, so its size and time count too.
 * @throws SourceChangedError if the file has changed
 */
export function assertSameVersion(source: AssetSource, entry: Entry): void {
  const { rowKey } = source;
  const current = rowKey === undefined ? sourceOf(entry) : rowSourceOf(entry, rowKey);
  const hasListedTime = entry.bytes === source.bytes && entry.mtimeMs === source.mtimeMs;
  if (hasListedTime || hasSameBase(current.version, source.version)) return;
  throw new SourceChangedError(source.path, 'since it was listed');
}

/** Like `assertSameVersion`, but for a set of files by role. */
export function assertSameSetVersion(
  source: AssetSource,
  entries: Readonly<Record<string, Entry>>,
): void {
  if (hasSameBase(setVersion(entries), source.version)) return;
  throw new SourceChangedError(source.path, 'since it was listed');
}

/** Opens the bytes of one version of a file. The last piece is cached. */
export function openSourceBytes(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal | undefined,
): ByteSource {
  let cachedPiece: { offset: number; bytes: Uint8Array } = { offset: 0, bytes: new Uint8Array(0) };
  return {
    size: source.bytes,
    async read(offset, length) {
      const end = Math.min(offset + length, source.bytes);
      if (offset >= end) return new Uint8Array(0);
      const isHeld =
        offset >= cachedPiece.offset && end <= cachedPiece.offset + cachedPiece.bytes.length;
      if (!isHeld) {
        const byteCount = Math.min(Math.max(end - offset, pieceBytes), source.bytes - offset);
        const { entry, bytes } = await connector.readPart(source.path, offset, byteCount, signal);
        assertSameVersion(source, entry);
        cachedPiece = { offset, bytes };
      }
      return cachedPiece.bytes.subarray(offset - cachedPiece.offset, end - cachedPiece.offset);
    },
  };
}

/**
 * Returns the asset's failure if the error is about its file. Null for an error that would affect other files too.
 * @throws the error of the source if the file is missing because the source is, for example because it is not mounted
 */
export async function findSourceProblem(
  error: unknown,
  connector: Connector,
): Promise<FailureReason | null> {
  if (error instanceof SourceChangedError) {
    return {
      failure: assetFailures.SOURCE_CHANGED,
      message:
        'the file changed after the run had listed it; the next run processes the new version',
    };
  }
  if (error instanceof ConnectorError && error.isOfOneFile) {
    if (error.code === 'FILE_GONE') await assertHasFiles(connector, error);
    return { failure: error.failure, message: error.what };
  }
  // An expired link is not a problem with the file, so the file is given another link.
  if (error instanceof TransferError && !(error instanceof LinkExpiredError)) {
    return { failure: assetFailures.UPLOAD_REFUSED, message: error.message };
  }
  return null;
}

/** @throws ConnectorError if the source cannot be listed, or has no files, as a folder whose drive is not mounted */
async function assertHasFiles(connector: Connector, { path, what }: ConnectorError) {
  for await (const _ of connector.names()) return;
  const problem = `${what}, and the source has no other files either`;
  const fix = 'mount or restore the source; the run retries automatically';
  throw new ConnectorError('SOURCE_EMPTY', path, problem, fix);
}
