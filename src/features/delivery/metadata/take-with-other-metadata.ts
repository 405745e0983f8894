// Reuses files that were delivered with other metadata, or none. The new metadata is written into a copy.
import { ConnectorError } from '../../../connectors/connector-error.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import { withDeliveredCopy } from '../delivered-copy.ts';
import { type ExistingFile, withoutDeliveryFields } from '../existing-files.ts';
import { DeliveryError } from '../outputs/output-error.ts';
import type { AssetMetadata } from './asset-metadata.ts';
import {
  deliverWithMetadata,
  type MetadataTarget,
  pictureHashOf,
  type WriteContext,
} from './write-metadata.ts';

/** Delivers an existing picture with the given metadata; null if no existing file can be reused. */
export async function takeWithOtherMetadata(
  target: MetadataTarget & { key: string },
  existingFiles: readonly ExistingFile[],
  metadata: AssetMetadata,
  context: WriteContext,
): Promise<{ came: DeliveredFile; from: ExistingFile } | null> {
  for (const existingFile of existingFiles) {
    const file = withoutDeliveryFields(existingFile.file);
    const { key, path } = target;
    try {
      const writtenFile = await withDeliveredCopy(existingFile, context, (copy) =>
        deliverWithMetadata(copy, target, metadata, context),
      );
      if (writtenFile === null) continue;
      return {
        came: { ...file, key, path, sourceHash: pictureHashOf(file), ...writtenFile },
        from: existingFile,
      };
    } catch (error) {
      context.signal.throwIfAborted();
      // The picture is downloaded or made instead; that reports the error if it happens again.
      if (!(error instanceof ConnectorError || error instanceof DeliveryError)) throw error;
    }
  }
  return null;
}
