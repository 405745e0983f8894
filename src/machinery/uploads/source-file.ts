// A source file where it lies: read in pieces, known when it is no longer the one that was listed, and what
// of its troubles are its own.
import { LinkExpiredError, SourceChangedError, TransferError } from '../../api/transfer-errors.ts';
import type { Connector, Entry } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { assetFailures } from '../../failures/assets.ts';
import type { Fault } from '../../failures/fail.ts';
import type { ByteSource } from '../../glb/byte-source.ts';
import type { AssetSource } from '../../plan/types.ts';
import { setVersion } from '../../store/records/source-set.ts';
import { looksSame, sourceOf } from '../../store/records/source-version.ts';

/** Holds header and scene description of nearly every model, so that most looks are one request. */
const pieceBytes = 64 * 1024;

/**
 * Versions that only the store's clock tells apart count as the same: the next run, which has the hash of the bytes that
 * were sent, looks at them.
 * @throws SourceChangedError when the file is of another version than the run has found
 */
export function mustBe(source: AssetSource, entry: Entry): void {
  if (looksSame(sourceOf(entry).version, source.version)) return;
  throw new SourceChangedError(source.path, 'since it was listed');
}

/** As `mustBe`, of the files of a set by what each is for. */
export function mustBeSet(source: AssetSource, entries: Readonly<Record<string, Entry>>): void {
  if (looksSame(setVersion(entries), source.version)) return;
  throw new SourceChangedError(source.path, 'since it was listed');
}

/** The bytes of one version of a file; pieces that are read again come from the one before. */
export function sourceBytes(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal | undefined,
): ByteSource {
  let held: { offset: number; bytes: Uint8Array } = { offset: 0, bytes: new Uint8Array(0) };
  return {
    size: source.bytes,
    async read(offset, length) {
      const end = Math.min(offset + length, source.bytes);
      if (offset >= end) return new Uint8Array(0);
      const isHeld = offset >= held.offset && end <= held.offset + held.bytes.length;
      if (!isHeld) {
        const wanted = Math.min(Math.max(end - offset, pieceBytes), source.bytes - offset);
        const { entry, bytes } = await connector.readPart(source.path, offset, wanted, signal);
        mustBe(source, entry);
        held = { offset, bytes };
      }
      return held.bytes.subarray(offset - held.offset, end - held.offset);
    },
  };
}

/** The failure of an asset whose own file is to blame; null where others would meet the same. */
export function sourceFault(error: unknown): Fault | null {
  if (error instanceof SourceChangedError) {
    return {
      failure: assetFailures.SOURCE_CHANGED,
      message: 'the file changed after the run found it; the next run takes the new one',
    };
  }
  if (error instanceof ConnectorError && error.isOfOneFile) {
    return { failure: error.failure, message: error.what };
  }
  // A dead link says nothing against the file: it gets another one.
  if (error instanceof TransferError && !(error instanceof LinkExpiredError)) {
    return { failure: assetFailures.UPLOAD_REFUSED, message: error.message };
  }
  return null;
}
