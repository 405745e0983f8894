// Descriptive metadata of a picture in the three forms that programs read: XMP, Exif and IPTC-IIM. Pure.
import {
  cleanText,
  createXmpPacket,
  type MetadataText,
  type PictureMetadata,
} from './xmp-packet.ts';

export interface MetadataPackets {
  xmp: Buffer;
  /** Zero-terminated strings by tag. Tags of `exifTags` that are missing here are removed from the picture. */
  exif: ReadonlyMap<number, Buffer>;
  /** The records of IPTC-IIM. Null if all fields that IPTC-IIM has are empty. */
  iim: Buffer | null;
}

/** Fields that also exist in Exif, with their tags. Texts are UTF-8, as the Metadata Working Group recommends. */
const exifFields = { description: 0x010e, creator: 0x013b, copyright: 0x8298 } as const;
export const exifTags: readonly number[] = Object.values(exifFields);

/** Datasets of the application record of IPTC-IIM 4.2, with their maximum lengths in bytes. */
const iimFields = {
  title: { dataset: 5, maxBytes: 64 },
  creator: { dataset: 80, maxBytes: 32 },
  credit: { dataset: 110, maxBytes: 32 },
  copyright: { dataset: 116, maxBytes: 128 },
  description: { dataset: 120, maxBytes: 2_000 },
} as const satisfies Partial<Record<MetadataText, { dataset: number; maxBytes: number }>>;
const keywordsField = { dataset: 25, maxBytes: 64 };

/** Maximum length in bytes of a text in IPTC-IIM, by field. Longer texts are cut. */
export const iimLimits: Readonly<Partial<Record<MetadataText | 'keywords', number>>> = {
  ...Object.fromEntries(
    Object.entries(iimFields).map(([field, { maxBytes }]) => [field, maxBytes]),
  ),
  keywords: keywordsField.maxBytes,
};

/** Creates the packets. Returns null if all fields are empty. The same metadata always results in the same bytes. */
export function createMetadataPackets(metadata: PictureMetadata): MetadataPackets | null {
  const xmp = createXmpPacket(metadata);
  return xmp && { xmp, exif: createExifTexts(metadata), iim: createIimRecords(metadata) };
}

function createExifTexts(metadata: PictureMetadata): Map<number, Buffer> {
  const texts = Object.entries(exifFields).map(([field, tag]): [number, string] => [
    tag,
    cleanText(metadata[field as keyof typeof exifFields] ?? ''),
  ]);
  const filledTexts = texts.filter(([, text]) => text !== '');
  return new Map(filledTexts.map(([tag, text]) => [tag, Buffer.from(`${text}\0`)]));
}

function createIimRecords(metadata: PictureMetadata): Buffer | null {
  const texts = Object.entries(iimFields).map(([field, { dataset, maxBytes }]) => ({
    dataset,
    bytes: cutText(metadata[field as keyof typeof iimFields] ?? '', maxBytes),
  }));
  const keywordTexts = [...new Set((metadata.keywords ?? []).map(cleanText))];
  const keywords = keywordTexts.map((word) => ({
    dataset: keywordsField.dataset,
    bytes: cutText(word, keywordsField.maxBytes),
  }));
  const datasets = [...texts, ...keywords]
    .filter(({ bytes }) => bytes.length > 0)
    .sort((a, b) => a.dataset - b.dataset);
  if (datasets.length === 0) return null;
  return Buffer.concat([
    // Dataset 1:90 declares UTF-8, and 2:00 is the version of the record.
    createDataset(1, 90, Buffer.from('\x1b%G', 'latin1')),
    createDataset(2, 0, Buffer.from([0, 4])),
    ...datasets.map(({ dataset, bytes }) => createDataset(2, dataset, bytes)),
  ]);
}

function createDataset(record: number, dataset: number, bytes: Uint8Array): Buffer {
  const head = Buffer.from([0x1c, record, dataset, 0, 0]);
  head.writeUInt16BE(bytes.length, 3);
  return Buffer.concat([head, bytes]);
}

/** Returns the longest beginning of a text that fits, without splitting a UTF-8 character. */
function cutText(text: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(cleanText(text));
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
