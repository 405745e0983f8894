// Delivers pictures with metadata. The bytes of the picture are copied around the packet; nothing is encoded again.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Connector } from '../../../connectors/connector.ts';
import { toConnectorError } from '../../../connectors/connector-error.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import { PictureError } from '../../../pictures/picture-error.ts';
import { insertXmp } from '../../../pictures/xmp/insert-xmp.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import { deliveryFailures } from '../failures.ts';
import { DeliveryError } from '../outputs/output-error.ts';
import type { AssetXmp } from './asset-xmp.ts';

export type WriteContext = Pick<NodeContext, 'signal' | 'heartbeat' | 'assertLease'>;

export interface XmpTarget {
  path: string;
  connector: Pick<Connector, 'stage'>;
  /** A larger file is not delivered. */
  maxBytes?: number | undefined;
}

/** Bytes that a format needs for a packet, besides the packet. */
const maxHeadBytes = 128;

/** The bytes by which the packet makes a picture larger, at most. */
export function xmpBytes(xmp: AssetXmp | null): number {
  return xmp === null ? 0 : xmp.packet.length + maxHeadBytes;
}

/** Hash of the picture as the platform delivered it, without metadata. */
export function pictureHashOf({ sha256, sourceHash }: DeliveredFile): string {
  return sourceHash ?? sha256;
}

/**
 * Delivers a local picture with the packet; null if it would be too large.
 * @throws DeliveryError METADATA_FAILED; ConnectorError
 */
export async function deliverWithXmp(
  file: string,
  { path, connector, maxBytes = Number.POSITIVE_INFINITY }: XmpTarget,
  { packet, hash }: AssetXmp,
  { signal, heartbeat, assertLease }: WriteContext,
): Promise<Pick<DeliveredFile, 'bytes' | 'sha256' | 'metadata'> | null> {
  const staged = await connector.stage(path);
  try {
    const sha256 = createHash('sha256');
    let bytes = 0;
    await insertXmp(file, packet, async (chunk) => {
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

/** Writes a picture with the packet to a local file. @throws DeliveryError METADATA_FAILED */
export async function writeWithXmp(
  from: string,
  into: string,
  { packet }: AssetXmp,
  path: string,
): Promise<void> {
  const file = await open(into, 'wx');
  try {
    await insertXmp(from, packet, async (chunk) => {
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
