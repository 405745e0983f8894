// Writes text metadata into the Exif block of a JPEG, PNG or WebP, and keeps everything else in the block.
import { toBufferSource } from '../../glb/byte-source.ts';
import { ByteWindow } from '../byte-window.ts';
import { PictureError } from '../picture-error.ts';
import { exifTags } from './metadata-packets.ts';
import { asciiType, replaceTags } from './tiff-directory.ts';

const head = Buffer.from('Exif\0\0', 'latin1');
/** A block without tags: little-endian, with an empty directory. */
const emptyBlock = Buffer.from('49492a0008000000000000000000', 'hex');
/** Maximum size of an Exif block in a PNG or WebP. Segments of a JPEG are smaller. */
export const maxExifBytes = 1024 * 1024;

/**
 * Replaces the tags of `exifTags` with the given values.
 * @param block the Exif block of the picture. Null if it has none
 * @returns the new block, or null if no tag is left
 */
export async function editExif(
  block: Uint8Array | null,
  texts: ReadonlyMap<number, Uint8Array>,
): Promise<Buffer | null> {
  if (block === null && texts.size === 0) return null;
  const source = block === null ? emptyBlock : removeHead(Buffer.from(block));
  const start = source.toString('latin1', 0, 4);
  if (start !== 'II*\0' && start !== 'MM\0*') {
    throw new PictureError('DAMAGED', 'has an Exif block that cannot be read');
  }
  const bytes = new ByteWindow(toBufferSource(source));
  const values = [...texts].map(([tag, text]) => [tag, { type: asciiType, bytes: text }] as const);
  const { pieces, tags } = await replaceTags(bytes, exifTags, new Map(values));
  if (tags === 0) return null;
  return Buffer.concat(
    pieces.map((piece) =>
      piece instanceof Uint8Array ? piece : source.subarray(piece.from, piece.to),
    ),
  );
}

/** Some programs write the `Exif` prefix, which only JPEG requires, into other formats too. */
function removeHead(block: Buffer): Buffer {
  return block.subarray(0, head.length).equals(head) ? block.subarray(head.length) : block;
}
