// Writes an XMP packet into a picture without touching its pixels: the bytes around the packet are copied as they are. A packet
// that is there is replaced.
import { DiskFile } from '../../disk/disk-file.ts';
import { ByteWindow, textOf } from '../byte-window.ts';
import { PictureError } from '../picture-error.ts';
import { placeInAvif } from './avif-xmp.ts';
import { placeInJpeg } from './jpeg-xmp.ts';
import { placeInPng } from './png-xmp.ts';
import { placeInTiff } from './tiff-xmp.ts';
import { placeInWebp } from './webp-xmp.ts';
import type { Piece, XmpPlacer } from './xmp-placer.ts';

const pieceBytes = 64 * 1024;

/**
 * Passes the bytes of the picture with the packet to `write`, in order.
 * @throws PictureError if the file has no place for the packet; errors of the file system unchanged
 */
export async function insertXmp(
  file: string,
  packet: Uint8Array,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const handle = await DiskFile.open(file);
  try {
    const { size } = handle.stat();
    const bytes = new ByteWindow(size, (position, length) => handle.readAt(position, length));
    for (const piece of await placeXmp(bytes, packet)) {
      if (piece instanceof Uint8Array) {
        await write(piece);
        continue;
      }
      for (let at = piece.from; at < piece.to; at += pieceBytes) {
        await write(await handle.readAt(at, Math.min(pieceBytes, piece.to - at)));
      }
    }
  } finally {
    handle.close();
  }
}

async function placeXmp(bytes: ByteWindow, packet: Uint8Array): Promise<Piece[]> {
  const start = textOf(await bytes.readView(0, 12, 'it'));
  return findPlacer(start)(bytes, packet);
}

function findPlacer(start: string): XmpPlacer {
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return placeInPng;
  if (start.startsWith('\xff\xd8\xff')) return placeInJpeg;
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return placeInTiff;
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return placeInWebp;
  if (/^[^]{4}ftypavif$/.test(start)) return placeInAvif;
  throw new PictureError('FORMAT', 'has a format without a place for metadata');
}
