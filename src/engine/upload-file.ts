// Sends one file to its signed address and says what went wrong in the asset's own words.
import { contentTypeOf } from '../api/content-types.ts';
import { putFile } from '../api/upload.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import { mustBe, sourceFailure } from './source-file.ts';
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
    const file = await connector.open(source.path, context.signal);
    try {
      mustBe(source, file.entry);
      const { sha256 } = await putFile({
        url,
        source: {
          name: source.path,
          bytes: source.bytes,
          content: () => file.content(),
          isUnchanged: () => file.isUnchanged(),
        },
        network: context.client.network,
        contentType: contentTypeOf(fileTypeOf(source.path) ?? ''),
        signal: context.signal,
        onProgress: () => context.heartbeat(),
      });
      context.store.sourceHashes.note(key, source.version, sha256);
    } finally {
      await file.close();
    }
    return null;
  } catch (error) {
    const failure = sourceFailure(error);
    if (!failure) throw error;
    return { key, outcome: 'failed', ...failure };
  }
}
