// XMP in a PNG: a text chunk with a reserved keyword, not compressed, behind the header.
import { crc32 } from 'node:zlib';
import { textOf } from '../byte-window.ts';
import { truncatedError } from '../picture-error.ts';
import { type Piece, withoutEmpty, type XmpPlacer } from './xmp-placer.ts';

const keyword = 'XML:com.adobe.xmp\0';
/** Other writers compress the packet. */
const textTypes = new Set(['iTXt', 'zTXt', 'tEXt']);
/** Signature and header chunk. */
const headBytes = 33;

export const placeInPng: XmpPlacer = async (bytes, packet) => {
  const pieces: Piece[] = [{ from: 0, to: headBytes }, createChunk(packet)];
  let from = headBytes;
  let at = headBytes;
  for (let type = ''; type !== 'IEND'; ) {
    const head = await bytes.readView(at, 8, 'a PNG without its end');
    type = textOf(head).slice(4);
    const end = at + 12 + head.getUint32(0);
    if (end > bytes.size) throw truncatedError(`chunk ${JSON.stringify(type)}`);
    if (textTypes.has(type) && end - at >= 12 + keyword.length) {
      const name = textOf(await bytes.readView(at + 8, keyword.length, 'a text'));
      if (name === keyword) {
        pieces.push({ from, to: at });
        from = end;
      }
    }
    at = end;
  }
  pieces.push({ from, to: bytes.size });
  return withoutEmpty(pieces);
};

function createChunk(packet: Uint8Array): Buffer {
  // Behind the keyword: not compressed, no language, no translated keyword.
  const data = Buffer.concat([Buffer.from(`iTXt${keyword}\0\0\0\0`, 'latin1'), packet]);
  const chunk = Buffer.alloc(data.length + 8);
  chunk.writeUInt32BE(data.length - 4, 0);
  data.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(data), data.length + 4);
  return chunk;
}
