// Sends one file to its signed address and says what went wrong in the asset's own words.
import { contentTypeOf } from '../api/content-types.ts';
import {
  LinkExpiredError,
  SourceChangedError,
  SourceGoneError,
  TransferError,
} from '../api/transfer-errors.ts';
import { putFile } from '../api/upload.ts';
import { ConnectorError } from '../connectors/connector-error.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import { fileTypeOf } from './upload-names.ts';

/** Null when the file is up, a failure when the file itself is the reason; anything else throws. */
export async function uploadFile(
  asset: StepAsset,
  url: string,
  connectorName: string,
  context: NodeContext,
): Promise<AssetResult | null> {
  const { source, key } = asset;
  try {
    const connector = context.connectorNamed(connectorName);
    const path = await connector.localPath?.(source.path);
    if (path === undefined) throw new TypeError(`connector ${connectorName} has no local files`);
    const { sha256 } = await putFile({
      url,
      path,
      network: context.client.network,
      contentType: contentTypeOf(fileTypeOf(source.path) ?? ''),
      signal: context.signal,
      onProgress: () => context.heartbeat(),
      expect: { bytes: source.bytes, mtimeMs: source.mtimeMs },
    });
    context.store.sourceHashes.note(key, source.version, sha256);
    return null;
  } catch (error) {
    const failure = sourceFailure(error);
    if (!failure) throw error;
    return { key, outcome: 'failed', ...failure };
  }
}

function sourceFailure(error: unknown): { code: string; message: string } | null {
  if (error instanceof SourceChangedError) {
    return {
      code: 'SOURCE_CHANGED',
      message: 'the file changed after the run found it; the next run takes the new one',
    };
  }
  if (error instanceof SourceGoneError) {
    return { code: 'FILE_GONE', message: 'the file was there when the run began and is gone now' };
  }
  if (error instanceof ConnectorError) return { code: error.code, message: error.message };
  // A dead link is the group's: it asks for new ones.
  if (error instanceof TransferError && !(error instanceof LinkExpiredError)) {
    return { code: 'UPLOAD_REFUSED', message: error.message };
  }
  return null;
}
