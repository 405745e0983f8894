// Writes metadata into a picture without touching its pixels: existing metadata packets are replaced, and all other
// bytes are copied.

import { withFileSource } from '../../glb/byte-source.ts';
import { ByteWindow, textOf } from '../byte-window.ts';
import { PictureError } from '../picture-error.ts';
import { placeInAvif } from './avif-metadata.ts';
import { placeInJpeg } from './jpeg-metadata.ts';
import { exifTags, type MetadataPackets } from './metadata-packets.ts';
import type { MetadataPlacer } from './metadata-placer.ts';
import { placeInPng } from './png-metadata.ts';
import { asciiType, byteType, longType, replaceTags, type TagValue } from './tiff-directory.ts';
import { placeInWebp } from './webp-metadata.ts';

const pieceBytes = 64 * 1024;

/**
 * Passes the bytes of the picture with the packets to `write`, in order.
 * @throws PictureError if the packets cannot be placed in the file; errors of the file system unchanged
 */
export async function insertMetadata(
  file: string,
  packets: MetadataPackets,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  await withFileSource(file, async (source) => {
    const bytes = new ByteWindow(source);
    const placer = findPlacer(textOf(await bytes.readView(0, 12, 'it')));
    for (const piece of await placer(bytes, packets)) {
      if (piece instanceof Uint8Array) {
        if (piece.length > 0) await write(piece);
        continue;
      }
      for (let offset = piece.from; offset < piece.to; offset += pieceBytes) {
        await write(await source.read(offset, Math.min(pieceBytes, piece.to - offset)));
      }
    }
  });
}

function findPlacer(start: string): MetadataPlacer {
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return placeInPng;
  if (start.startsWith('\xff\xd8\xff')) return placeInJpeg;
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return placeInTiff;
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return placeInWebp;
  if (/^[^]{4}ftypavif$/.test(start)) return placeInAvif;
  throw new PictureError('FORMAT', 'has a format that cannot hold metadata');
}

const [xmpTag, iimTag] = [700, 33_723];

const placeInTiff: MetadataPlacer = async (bytes, packets) => {
  const { pieces } = await replaceTags(bytes, [xmpTag, iimTag, ...exifTags], tagsOf(packets));
  return pieces;
};

function tagsOf({ xmp, exif, iim }: MetadataPackets): Map<number, TagValue> {
  const tags = new Map<number, TagValue>([[xmpTag, { type: byteType, bytes: xmp }]]);
  for (const [tag, bytes] of exif) tags.set(tag, { type: asciiType, bytes });
  // By definition the tag is a list of four-byte numbers, so the records are padded to a multiple of four bytes.
  if (iim) {
    const bytes = Buffer.concat([iim, Buffer.alloc((4 - (iim.length % 4)) % 4)]);
    tags.set(iimTag, { type: longType, bytes });
  }
  return tags;
}
