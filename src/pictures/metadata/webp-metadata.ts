// Metadata in a WebP: chunks at the end, announced by flags in the extended header, which is added to a simple file.
import { type ByteWindow, textOf } from '../byte-window.ts';
import { PictureError } from '../picture-error.ts';
import { editExif, maxExifBytes } from './exif-block.ts';
import { copyBytes, type MetadataPlacer } from './metadata-placer.ts';

const [alphaFlag, exifFlag, xmpFlag] = [0x10, 0x08, 0x04];
const [exifType, xmpType] = ['EXIF', 'XMP '];
const maxChunks = 1_000;

interface Chunk {
  type: string;
  from: number;
  /** End of the chunk, after its padding. */
  to: number;
}

export const placeInWebp: MetadataPlacer = async (bytes, { xmp, exif }) => {
  const chunks = await readChunks(bytes);
  const [first] = chunks;
  if (first === undefined) throw new PictureError('DAMAGED', 'is a WebP without a picture');
  const isExtended = first.type === 'VP8X';
  const block = await editExif(await readExif(bytes, chunks), exif);
  const flags = xmpFlag | (block ? exifFlag : 0);
  const header = isExtended
    ? await createFlaggedHeader(bytes, first, flags)
    : await createHeader(bytes, first, flags);
  const keptChunks = chunks
    .slice(isExtended ? 1 : 0)
    .filter(({ type }) => type !== xmpType && type !== exifType);
  const addedChunks = [...(block ? [createChunk(exifType, block)] : []), createChunk(xmpType, xmp)];
  const sum = (lengths: readonly number[]) => lengths.reduce((total, length) => total + length, 0);
  const length =
    header.length + sum(keptChunks.map(lengthOf)) + sum(addedChunks.map((chunk) => chunk.length));
  const riff = Buffer.alloc(12);
  riff.write('RIFF\0\0\0\0WEBP', 'latin1');
  riff.writeUInt32LE(4 + length, 4);
  return [riff, header, ...keptChunks, ...addedChunks];
};

const lengthOf = ({ from, to }: Chunk) => to - from;

async function readExif(bytes: ByteWindow, chunks: readonly Chunk[]): Promise<Buffer | null> {
  const chunk = chunks.find(({ type }) => type === exifType);
  if (chunk === undefined) return null;
  if (lengthOf(chunk) > maxExifBytes)
    throw new PictureError('TOO_LARGE', 'has Exif data that is too large');
  const { from } = chunk;
  const length = (await bytes.readView(from + 4, 4, 'its Exif')).getUint32(0, true);
  return copyBytes(bytes, { from: from + 8, to: from + 8 + length }, 'its Exif');
}

async function readChunks(bytes: ByteWindow): Promise<Chunk[]> {
  const end = 8 + (await bytes.readView(4, 4, 'its head')).getUint32(0, true);
  const chunks: Chunk[] = [];
  for (let offset = 12; offset + 8 <= Math.min(end, bytes.size); ) {
    if (chunks.length >= maxChunks) {
      throw new PictureError('TOO_LARGE', `has more than ${maxChunks} chunks`);
    }
    const head = await bytes.readView(offset, 8, 'a chunk');
    const length = head.getUint32(4, true);
    const type = textOf(head).slice(0, 4);
    chunks.push({
      type,
      from: offset,
      to: Math.min(offset + 8 + length + (length % 2), bytes.size),
    });
    offset += 8 + length + (length % 2);
  }
  return chunks;
}

function createChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(8 + data.length + (data.length % 2));
  chunk.write(type, 'latin1');
  chunk.writeUInt32LE(data.length, 4);
  chunk.set(data, 8);
  return chunk;
}

async function createFlaggedHeader(
  bytes: ByteWindow,
  { from, to }: Chunk,
  flags: number,
): Promise<Buffer> {
  const { buffer, byteOffset, byteLength } = await bytes.readView(from, to - from, 'its header');
  const header = Buffer.from(new Uint8Array(buffer, byteOffset, byteLength));
  header.writeUInt8((header.readUInt8(8) & ~(exifFlag | xmpFlag)) | flags, 8);
  return header;
}

async function createHeader(
  bytes: ByteWindow,
  { type, from }: Chunk,
  flags: number,
): Promise<Buffer> {
  const { width, height, hasAlpha } = await readSize(bytes, type, from + 8);
  const data = Buffer.alloc(10);
  data.writeUInt8(flags | (hasAlpha ? alphaFlag : 0), 0);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return createChunk('VP8X', data);
}

async function readSize(bytes: ByteWindow, type: string, position: number) {
  const head = await bytes.readView(position, 10, 'its size');
  if (type === 'VP8 ') {
    const side = (offset: number) => head.getUint16(offset, true) & 0x3fff;
    return { width: side(6), height: side(8), hasAlpha: false };
  }
  if (type !== 'VP8L') throw new PictureError('DAMAGED', 'is a WebP without a picture');
  const bits = head.getUint32(1, true);
  return {
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    hasAlpha: ((bits >>> 28) & 1) === 1,
  };
}
