// The specification of an image that is derived from a picture: format, size, quality and checks. Pure.
import type { ImageChecks } from './image-checks.ts';

export const imageFormats = ['PNG', 'JPEG', 'WEBP', 'AVIF', 'TIFF'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** `inside`: no larger than the size. `cover`: fills the size and is cropped. `contain`: fits and is padded. */
export const imageFits = ['inside', 'cover', 'contain'] as const;

export interface ImageSpec {
  format: ImageFormat;
  /** Size in pixels. By default in proportion to the other side. Without both sides, the size of the original. */
  width?: number | undefined;
  height?: number | undefined;
  /** @default 'inside' */
  fit?: (typeof imageFits)[number] | undefined;
  /** Maximum of the longer side, in pixels. The image is as large as its original allows. Excludes width and height. */
  maxSide?: number | undefined;
  /** True if the image is padded to a square. */
  square?: boolean | undefined;
  /** Share of the frame, 0 to 1, that the object fills in its longer direction. The object is cropped, then padded. */
  fill?: number | undefined;
  /** Minimum padding on each side of a padded picture, in pixels. */
  padding?: number | undefined;
  /** Background of the image: `#rrggbb` or `transparent`. */
  background?: string | undefined;
  /** Bits per channel. 16 is only for TIFF. @default 8 */
  bits?: 8 | 16 | undefined;
  /** @default depends on the format */
  quality?: number | undefined;
  maxBytes?: number | undefined;
  checks?: ImageChecks | undefined;
}

/** True if the frame of the image follows from its original, instead of from width and height. */
export function hasFrame({ maxSide, square, fill }: ImageSpec): boolean {
  return maxSide !== undefined || square === true || fill !== undefined;
}

/** Default quality of formats that have a quality. */
export const defaultQuality: Readonly<Partial<Record<ImageFormat, number>>> = {
  JPEG: 85,
  WEBP: 80,
  AVIF: 55,
};

/** Minimum quality. A picture that needs a lower one for its `maxBytes` is refused, since it would look bad. */
export const minQuality = 20;

/** File extensions by format. */
export const imageExtension: Readonly<Record<ImageFormat, string>> = {
  PNG: 'png',
  JPEG: 'jpg',
  WEBP: 'webp',
  AVIF: 'avif',
  TIFF: 'tif',
};

/** The longest side that all formats support. */
export const maxImageSide = 16_383;
/** Maximum side of an image whose frame follows from its original. A square with this side has `maxImagePixels`. */
export const maxFrameSide = 8_192;
/** Maximum width times height. */
export const maxImagePixels = 8_192 * 8_192;
