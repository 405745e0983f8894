// Metadata in a PNG, after the header: Exif in its own chunk, and uncompressed XMP in a text chunk with a fixed keyword.
import { crc32 } from 'node:zlib';
import { textOf } from '../byte-window.ts';
import { PictureError } from '../picture-error.ts';
import { readPngChunk } from '../picture-header.ts';
import { editExif, maxExifBytes } from './exif-block.ts';
import { copyBytes, type MetadataPlacer, type Piece } from './metadata-placer.ts';

const keyword = 'XML:com.adobe.xmp\0';
/** Chunks that may contain XMP, because other programs also write it to compressed or plain text chunks. */
const textTypes = new Set(['iTXt', 'zTXt', 'tEXt']);
const exifType = 'eXIf';
/** Size of the signature and the header chunk. */
const headBytes = 33;

export const placeInPng: MetadataPlacer = async (bytes, { xmp, exif }) => {
  const pieces: Piece[] = [];
  let block: Buffer | null = null;
  let from = headBytes;
  let offset = headBytes;
  for (let isLast = false; !isLast; ) {
    const { type, end } = await readPngChunk(bytes, offset);
    let isReplaced = type === exifType;
    if (isReplaced) {
      if (end - offset > maxExifBytes)
        throw new PictureError('TOO_LARGE', 'has Exif data that is too large');
      block = await copyBytes(bytes, { from: offset + 8, to: end - 4 }, 'its Exif');
    } else if (textTypes.has(type) && end - offset >= 12 + keyword.length) {
      isReplaced = textOf(await bytes.readView(offset + 8, keyword.length, 'a text')) === keyword;
    }
    if (isReplaced) {
      pieces.push({ from, to: offset });
      from = end;
    }
    offset = end;
    isLast = type === 'IEND';
  }
  pieces.push({ from, to: bytes.size });
  const newBlock = await editExif(block, exif);
  return [
    { from: 0, to: headBytes },
    ...(newBlock ? [createChunk(exifType, newBlock)] : []),
    // The zeros after the keyword mean that the text has no compression, no language and no translated keyword.
    createChunk('iTXt', Buffer.concat([Buffer.from(`${keyword}\0\0\0\0`, 'latin1'), xmp])),
    ...pieces,
  ];
};

function createChunk(type: string, content: Uint8Array): Buffer {
  const data = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const chunk = Buffer.alloc(data.length + 8);
  chunk.writeUInt32BE(content.length, 0);
  data.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(data), data.length + 4);
  return chunk;
}
