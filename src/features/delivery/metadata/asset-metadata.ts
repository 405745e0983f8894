// The metadata of one asset: templates filled with the asset's fields, encoded as packets for pictures.
import { createHash } from 'node:crypto';
import { ExpressionError, toExpressionScope } from '../../../language/expressions.ts';
import { evaluateTemplate } from '../../../language/value-template.ts';
import {
  createMetadataPackets,
  type MetadataPackets,
} from '../../../pictures/metadata/metadata-packets.ts';
import {
  maxPacketBytes,
  metadataTexts,
  type PictureMetadata,
} from '../../../pictures/metadata/xmp-packet.ts';
import type { Plan, StepAsset } from '../../../plan/types.ts';
import { deliveryFailures } from '../failures.ts';
import { DeliveryError } from '../outputs/output-error.ts';
import type { MetadataOptions } from './metadata-fields.ts';

export interface AssetMetadata {
  packets: MetadataPackets;
  /** Identifies the packets in records. */
  hash: string;
}

/** Creates an asset's metadata. Null if empty. @throws DeliveryError for a failing expression or a large packet */
export function createAssetMetadata(
  { keywords, digitalSourceType, ...texts }: MetadataOptions,
  asset: StepAsset,
  parameters: Plan['parameters'],
): AssetMetadata | null {
  const scope = toExpressionScope(asset, parameters);
  const fill = (field: string, text: string) => {
    try {
      return String(evaluateTemplate(text, scope));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new DeliveryError(error.failure, `metadata.${field}: ${error.message}`);
    }
  };
  const metadata: PictureMetadata = {};
  for (const field of metadataTexts) {
    const text = texts[field];
    if (text !== undefined) metadata[field] = fill(field, text);
  }
  if (keywords) metadata.keywords = keywords.map((text, index) => fill(`keywords[${index}]`, text));
  if (digitalSourceType) metadata.digitalSourceType = digitalSourceType;
  const packets = createMetadataPackets(metadata);
  if (packets === null) return null;
  const { xmp, exif, iim } = packets;
  if (xmp.length > maxPacketBytes) {
    const longest = Object.entries(metadata).toSorted(
      ([, a], [, b]) => String(b).length - String(a).length,
    )[0]?.[0];
    const message = `the metadata has ${xmp.length} bytes, more than ${maxPacketBytes}; ${longest} is the longest field`;
    throw new DeliveryError(deliveryFailures.METADATA_TOO_LARGE, message);
  }
  const hash = createHash('sha256');
  for (const part of [xmp, ...exif.values(), iim ?? '']) hash.update(part);
  return { packets, hash: hash.digest('hex').slice(0, 16) };
}
