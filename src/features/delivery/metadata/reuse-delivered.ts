// Reuses files of earlier deliveries. If they have other metadata, or none, the new metadata is written into a copy.
import { ConnectorError } from '../../../connectors/connector-error.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import { withDeliveredCopy } from '../delivered-copy.ts';
import {
  type ExistingFile,
  type ReuseTarget,
  removeDeliveryFields,
  takeExisting,
  toDeliveredFile,
} from '../existing-files.ts';
import { DeliveryError } from '../outputs/output-error.ts';
import type { AssetMetadata } from './asset-metadata.ts';
import {
  deliverWithMetadata,
  type MetadataTarget,
  pictureHashOf,
  type WriteContext,
} from './write-metadata.ts';

/** Delivers an existing file with the given metadata. Returns null if no existing file can be reused. */
export async function reuseDelivered(
  existingFiles: readonly ExistingFile[],
  target: ReuseTarget & Pick<MetadataTarget, 'maxBytes'>,
  options: { metadata: AssetMetadata | null; supersede: 'remove' | 'keep' | undefined },
  context: WriteContext,
): Promise<DeliveredFile | null> {
  const { metadata, supersede } = options;
  const { key, path } = target;
  const hasMetadata = ({ file }: ExistingFile) => file.metadata === metadata?.hash;
  const sameMetadataFiles = existingFiles.filter(hasMetadata);
  const ownFile = sameMetadataFiles.find(
    ({ isOfThisExport, isInPlace, file }) => isOfThisExport && isInPlace && file.path === path,
  );
  if (ownFile) return { ...ownFile.file, key };
  const others = existingFiles.filter((file) => !hasMetadata(file));
  const reusedFile =
    (await takeExisting(target, sameMetadataFiles, context)) ??
    (metadata && (await takeWithOtherMetadata(target, others, metadata, context)));
  return reusedFile && toDeliveredFile(reusedFile, target, supersede);
}

async function takeWithOtherMetadata(
  target: ReuseTarget & Pick<MetadataTarget, 'maxBytes'>,
  existingFiles: readonly ExistingFile[],
  metadata: AssetMetadata,
  context: WriteContext,
): Promise<{ came: DeliveredFile; from: ExistingFile } | null> {
  const { key, path } = target;
  for (const from of existingFiles) {
    const file = removeDeliveryFields(from.file);
    try {
      const writtenFile = await withDeliveredCopy(from, context, (copy) =>
        deliverWithMetadata(copy, target, metadata, context),
      );
      if (writtenFile === null) continue;
      const sourceHash = pictureHashOf(file);
      return { came: { ...file, key, path, sourceHash, ...writtenFile }, from };
    } catch (error) {
      context.signal.throwIfAborted();
      // The picture is downloaded or created instead, which reports the error if it recurs.
      if (!(error instanceof ConnectorError || error instanceof DeliveryError)) throw error;
    }
  }
  return null;
}
