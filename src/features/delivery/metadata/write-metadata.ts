// Delivers pictures with metadata. The picture's bytes are copied around the packets, and nothing is encoded again.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Connector } from '../../../connectors/connector.ts';
import { toConnectorError } from '../../../connectors/connector-error.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import { insertMetadata } from '../../../pictures/metadata/insert-metadata.ts';
import { PictureError } from '../../../pictures/picture-error.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import { deliveryFailures } from '../failures.ts';
import { DeliveryError } from '../outputs/output-error.ts';
import type { AssetMetadata } from './asset-metadata.ts';

export type WriteContext = Pick<NodeContext, 'signal' | 'heartbeat' | 'assertLease'>;

export interface MetadataTarget {
  path: string;
  connector: Pick<Connector, 'stage'>;
  /** Maximum size of the file. A larger file is not delivered. */
  maxBytes?: number | undefined;
}

/** Maximum number of bytes that a format adds around the packets. */
const maxHeadBytes = 512;

/** Returns the maximum number of bytes that the metadata add to a picture. */
export function metadataBytesOf(metadata: AssetMetadata | null): number {
  if (metadata === null) return 0;
  const { xmp, exif, iim } = metadata.packets;
  const parts = [xmp, ...exif.values(), iim ?? ''];
  return parts.reduce((sum, { length }) => sum + length, maxHeadBytes);
}

/** Returns the hash of the picture as the platform delivered it, without metadata. */
export function pictureHashOf({ sha256, sourceHash }: DeliveredFile): string {
  return sourceHash ?? sha256;
}

/** Delivers a picture with metadata. Null if too large. @throws DeliveryError METADATA_FAILED; ConnectorError */
export async function deliverWithMetadata(
  file: string,
  { path, connector, maxBytes = Number.POSITIVE_INFINITY }: MetadataTarget,
  { packets, hash }: AssetMetadata,
  { signal, heartbeat, assertLease }: WriteContext,
): Promise<Pick<DeliveredFile, 'bytes' | 'sha256' | 'metadata'> | null> {
  const staged = await connector.stage(path);
  try {
    const sha256 = createHash('sha256');
    let bytes = 0;
    await insertMetadata(file, packets, async (chunk) => {
      signal.throwIfAborted();
      heartbeat();
      sha256.update(chunk);
      bytes += chunk.length;
      await staged.write(chunk);
    }).catch((error: unknown) => {
      throw toMetadataError(error, path);
    });
    if (bytes > maxBytes) return null;
    await assertLease();
    await staged.commit({ signal, onProgress: () => heartbeat() });
    return { bytes, sha256: sha256.digest('hex'), metadata: hash };
  } finally {
    await staged.discard().catch(() => undefined);
  }
}

/** Writes a picture with the metadata to a local file. @throws DeliveryError METADATA_FAILED */
export async function writeWithMetadata(
  sourceFile: string,
  targetFile: string,
  { packets }: AssetMetadata,
  path: string,
): Promise<void> {
  const file = await open(targetFile, 'wx');
  try {
    await insertMetadata(sourceFile, packets, async (chunk) => {
      await file.writeFile(chunk);
    }).catch((error: unknown) => {
      throw toMetadataError(error, path);
    });
  } finally {
    await file.close();
  }
}

function toMetadataError(error: unknown, path: string): unknown {
  if (!(error instanceof PictureError)) {
    return toConnectorError(error, 'write', path, 'the temporary file with metadata');
  }
  const message = `metadata cannot be written into "${path}": it ${error.message}`;
  return new DeliveryError(deliveryFailures.METADATA_FAILED, message);
}
