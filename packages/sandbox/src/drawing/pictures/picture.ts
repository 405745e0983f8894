// A raw picture in memory: r, g, b, a with 8 or 16 bits per channel.

export type RawPicture = {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint16Array;
  /** True if pixels may be transparent. */
  readonly hasAlpha?: true;
};

/** Bits per channel: 16 for TIFF, otherwise 8. */
export type PictureDepth = 8 | 16;

/** Maximum number of pixels: about twice 8K (7680 x 4320). */
const maxPicturePixels = 64 * 1024 * 1024;

export class PictureSizeError extends Error {
  override name = 'PictureSizeError';
}

/** Creates an empty picture. @throws PictureSizeError if a side is not a positive integer or the area is too large */
export function createPicture(width: number, height: number, depth: PictureDepth): RawPicture {
  const hasValidSides =
    Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0;
  if (!hasValidSides || width * height > maxPicturePixels) {
    throw new PictureSizeError(
      `A picture of ${width} x ${height} pixels cannot be drawn: at most ${maxPicturePixels} pixels.`,
    );
  }
  const length = width * height * 4;
  return { width, height, data: depth === 16 ? new Uint16Array(length) : new Uint8Array(length) };
}
