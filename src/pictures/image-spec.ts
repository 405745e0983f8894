// An image that is made of a picture: its format, size and look. Pure.

export const imageFormats = ['PNG', 'JPEG', 'WEBP', 'AVIF', 'TIFF'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** `inside`: no larger than the size, `cover`: fills it and is cropped, `contain`: fits into it and is filled up. */
export const imageFits = ['inside', 'cover', 'contain'] as const;

export interface ImageSpec {
  format: ImageFormat;
  /** Pixels; absent: as the original, or as the other side gives it. */
  width?: number | undefined;
  height?: number | undefined;
  /** @default 'inside' */
  fit?: (typeof imageFits)[number] | undefined;
  /** Pixels on each side of a picture that is filled up. */
  padding?: number | undefined;
  /** `#rrggbb` or `transparent`. */
  background?: string | undefined;
  /** Of a channel; 16 in a TIFF alone. @default 8 */
  bits?: 8 | 16 | undefined;
  /** @default that of the format */
  quality?: number | undefined;
  maxBytes?: number | undefined;
}

/** Quality of formats that have one, where the file names none. */
export const usualQuality: Readonly<Partial<Record<ImageFormat, number>>> = {
  JPEG: 85,
  WEBP: 80,
  AVIF: 55,
};

/** An image that would need less is too large for its `maxBytes`: nobody would want to look at it. */
export const lowestQuality = 20;

/** Extensions of files, as those of originals are. */
export const imageExtension: Readonly<Record<ImageFormat, string>> = {
  PNG: 'png',
  JPEG: 'jpg',
  WEBP: 'webp',
  AVIF: 'avif',
  TIFF: 'tif',
};

/** Sides that all formats can have. */
export const imageSideAtMost = 16_383;
/** Width times height that a file may ask for. */
export const imagePixelsAtMost = 8_192 * 8_192;
