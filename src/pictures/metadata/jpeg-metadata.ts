// Metadata in a JPEG: segments APP1 for Exif and XMP, and APP13 for IPTC-IIM. The JFIF segment must precede them.

import { createHash } from 'node:crypto';
import { type ByteWindow, textOf } from '../byte-window.ts';
import { readJpegSegment } from '../jpeg-header.ts';
import { PictureError } from '../picture-error.ts';
import { editExif } from './exif-block.ts';
import { copyBytes, type MetadataPlacer } from './metadata-placer.ts';

const [app0, app1, app13, startOfScan, padding] = [0xe0, 0xe1, 0xed, 0xda, 0xff];
/** First bytes of segments with metadata. An XMP packet that is too long for one segment continues in `xmpPart`s. */
const starts = {
  exif: 'Exif\0\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  xmpPart: 'http://ns.adobe.com/xmp/extension/\0',
  photoshop: 'Photoshop 3.0\0',
} as const;
type Kind = keyof typeof starts;
const kindsOf: Readonly<Record<number, readonly Kind[]>> = {
  [app1]: ['exif', 'xmp', 'xmpPart'],
  [app13]: ['photoshop'],
};
const maxStartBytes = Math.max(...Object.values(starts).map(({ length }) => length));
const maxSegmentBytes = 0xffff - 2;

interface Segment {
  from: number;
  to: number;
}

export const placeInJpeg: MetadataPlacer = async (bytes, { xmp, exif, iim }) => {
  const { first, others, segmentsByKind, scanAt } = await readSegments(bytes);
  const contentOf = async (kind: Kind) => {
    const contents: Buffer[] = [];
    for (const { from, to } of segmentsByKind[kind]) {
      const content = { from: from + 4 + starts[kind].length, to };
      contents.push(await copyBytes(bytes, content, 'a segment'));
    }
    return contents;
  };
  const [oldBlock = null] = await contentOf('exif');
  const block = await editExif(oldBlock, exif);
  const resources = replaceIim(Buffer.concat(await contentOf('photoshop')), iim);
  return [
    { from: 0, to: 2 },
    ...first,
    ...(block ? [createSegment(app1, 'exif', block)] : []),
    createSegment(app1, 'xmp', xmp),
    ...splitResources(resources).map((part) => createSegment(app13, 'photoshop', part)),
    ...others,
    { from: scanAt, to: bytes.size },
  ];
};

async function readSegments(bytes: ByteWindow) {
  const [first, others]: [Segment[], Segment[]] = [[], []];
  const segmentsByKind: Record<Kind, Segment[]> = { exif: [], xmp: [], xmpPart: [], photoshop: [] };
  let offset = 2;
  for (;;) {
    const { marker, end } = await readJpegSegment(bytes, offset);
    if (marker === startOfScan) return { first, others, segmentsByKind, scanAt: offset };
    const kind = await readKind(bytes, offset, marker, end);
    const segment = { from: offset, to: end };
    if (kind !== null) segmentsByKind[kind].push(segment);
    else if ((marker === app0 || marker === padding) && others.length === 0) first.push(segment);
    else others.push(segment);
    offset = end;
  }
}

async function readKind(
  bytes: ByteWindow,
  offset: number,
  marker: number,
  end: number,
): Promise<Kind | null> {
  const kinds = kindsOf[marker] ?? [];
  if (kinds.length === 0) return null;
  const length = Math.min(maxStartBytes, end - offset - 4);
  const start = textOf(await bytes.readView(offset + 4, length, 'a segment'));
  return kinds.find((kind) => start.startsWith(starts[kind])) ?? null;
}

/** Splits the Photoshop resources into parts that fit into one segment each. Readers join the segments again. */
function splitResources(resources: Buffer): Buffer[] {
  const partBytes = maxSegmentBytes - starts.photoshop.length;
  const count = Math.ceil(resources.length / partBytes);
  return Array.from({ length: count }, (_, index) =>
    resources.subarray(index * partBytes, (index + 1) * partBytes),
  );
}

function createSegment(marker: number, kind: Kind, content: Uint8Array): Buffer {
  const start = Buffer.from(starts[kind], 'latin1');
  const length = start.length + content.length;
  if (length > maxSegmentBytes) {
    throw new PictureError('TOO_LARGE', `has no room for more ${kind} in a JPEG`);
  }
  const head = Buffer.alloc(4);
  head.writeUInt16BE(0xff00 + marker, 0);
  head.writeUInt16BE(2 + length, 2);
  return Buffer.concat([head, start, content]);
}

const signature = '8BIM';
const [iimId, iimDigestId] = [0x0404, 0x0425];
/** Signature, id and length of the name. */
const minHeadBytes = 7;

/**
 * @param resources the joined resources of all segments of the picture
 * @returns the resources in the order in which they are written. Empty if none is left
 */
function replaceIim(resources: Buffer, iim: Buffer | null): Buffer {
  const others = readResources(resources).filter(({ id }) => id !== iimId && id !== iimDigestId);
  // Programs compare this digest with the IPTC-IIM: if they match, XMP and IPTC-IIM count as equal.
  const digest = iim && createHash('md5').update(iim).digest();
  return Buffer.concat([
    ...(iim && digest ? [createResource(iimId, iim), createResource(iimDigestId, digest)] : []),
    ...others.map(({ from, to }) => resources.subarray(from, to)),
  ]);
}

function readResources(bytes: Buffer): { id: number; from: number; to: number }[] {
  const resources: { id: number; from: number; to: number }[] = [];
  let from = 0;
  while (bytes.toString('latin1', from, from + 4) === signature) {
    if (from + minHeadBytes > bytes.length) throw damagedError();
    const nameBytes = roundUpToEven(1 + (bytes[from + 6] ?? 0));
    const sizeAt = from + 6 + nameBytes;
    if (sizeAt + 4 > bytes.length) throw damagedError();
    const contentAt = sizeAt + 4;
    const length = bytes.readUInt32BE(sizeAt);
    if (contentAt + length > bytes.length) throw damagedError();
    const to = Math.min(bytes.length, contentAt + roundUpToEven(length));
    resources.push({ id: bytes.readUInt16BE(from + 4), from, to });
    from = to;
  }
  // The rest is checked, because only padding may follow the last resource.
  if (bytes.subarray(from).some((byte) => byte !== 0)) throw damagedError();
  return resources;
}

function createResource(id: number, content: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.write(signature, 'latin1');
  head.writeUInt16BE(id, 4);
  head.writeUInt32BE(content.length, 8);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

const roundUpToEven = (length: number) => length + (length % 2);

function damagedError(): PictureError {
  return new PictureError('DAMAGED', 'has truncated Photoshop blocks');
}
