// Metadata in a TIFF: tags of the first directory.
import { exifTags, type MetadataPackets } from './metadata-packets.ts';
import type { MetadataPlacer } from './metadata-placer.ts';
import { asciiType, byteType, longType, replaceTags, type TagValue } from './tiff-directory.ts';

const [xmpTag, iimTag] = [700, 33_723];

export const placeInTiff: MetadataPlacer = async (bytes, packets) => {
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
