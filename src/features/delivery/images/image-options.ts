import { z } from 'zod';
import { foldPath } from '../../../language/naming/naming.ts';
import { defaultQuality, imageExtension, maxImagePixels } from '../../../pictures/image-spec.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import { ImageFields, type ImageOptions } from './image-fields.ts';

export const maxImages = 20;

export type ReportIssue = (message: string, ...path: (string | number)[]) => void;

/** Converts a check to the form that `superRefine` accepts. */
export function asRefinement<T>(check: (value: T, refuse: ReportIssue) => void) {
  return (value: T, context: z.RefinementCtx) =>
    check(value, (message, ...path) => context.addIssue({ code: 'custom', message, path }));
}

export const Images = z
  .array(ImageFields.superRefine(asRefinement(checkImage)))
  .min(1)
  .max(maxImages)
  .describe('Images made from each delivered picture, in sRGB. The images cost no extra render.');

/** Reports fields of one image that contradict each other. */
export function checkImage(image: ImageOptions, refuse: ReportIssue): void {
  checkFormatFields(image, refuse);
  checkSizeFields(image, refuse);
  checkFrameFields(image, refuse);
  checkChannelNaming(image, refuse);
}

function checkFrameFields(image: ImageOptions, refuse: ReportIssue): void {
  const { maxSide, square, fill, checks, background } = image;
  const [field] = Object.keys(omitUndefined({ maxSide, square: square || undefined, fill }));
  if (field !== undefined) {
    const { width, height, fit, padding } = image;
    for (const name of Object.keys(omitUndefined({ width, height, fit, padding })))
      refuse(`cannot be combined with ${field}: remove one of the two`, name);
    if (image.bits === 16)
      refuse(`16 cannot be combined with ${field}: set width and height instead`, 'bits');
  }
  const { longestSide } = checks ?? {};
  const min = longestSide ? (longestSide.min ?? 0) : 0;
  if (maxSide !== undefined && maxSide < min) {
    refuse(`is less than checks.longestSide.min (${min}), so no image could pass`, 'maxSide');
  }
  const isSquare = square === true || (image.width !== undefined && image.width === image.height);
  if (checks?.square && !isSquare) {
    refuse('needs `square: true` on the image, or equal width and height', 'checks', 'square');
  }
  if (checks?.noAlpha && background === 'transparent') {
    refuse('cannot be transparent with checks.noAlpha: set a colour', 'background');
  }
}

function checkChannelNaming(
  { channel, format, naming: ownNaming }: ImageOptions,
  refuse: ReportIssue,
) {
  if (channel === undefined || ownNaming === undefined) return;
  const extension = /\.(\w+|\{\{\s*ext\s*\}\})$/.exec(ownNaming.trim())?.[1];
  if (extension === imageExtension[format] || extension?.startsWith('{{')) return;
  refuse(`must end in .{{ ext }}, because channels read the format from the extension`, 'naming');
}

function checkFormatFields(
  { format, bits, quality, maxBytes, background }: ImageOptions,
  refuse: ReportIssue,
) {
  const isLossy = defaultQuality[format] !== undefined;
  for (const name of isLossy ? [] : Object.keys(omitUndefined({ quality, maxBytes })))
    refuse(
      `applies only to JPEG, WEBP and AVIF; a ${format} has no quality: remove the field`,
      name,
    );
  if (bits === 16 && format !== 'TIFF') {
    refuse(`16 bits require a TIFF, not a ${format}: set format: TIFF or bits: 8`, 'bits');
  }
  if (background === 'transparent' && format === 'JPEG') {
    const message = 'cannot be transparent in a JPEG: set a colour, or another `format`';
    refuse(message, 'background');
  }
}

function checkSizeFields({ width, height, fit, padding = 0 }: ImageOptions, refuse: ReportIssue) {
  if (fit === 'inside' && width === undefined && height === undefined) {
    refuse('needs a size: set width, height or both', 'fit');
  }
  const isFilled = fit === 'cover' || fit === 'contain';
  if (isFilled && (width === undefined || height === undefined)) {
    refuse(`${fit} needs both width and height`, 'fit');
  }
  if (padding > 0 && fit !== 'contain') {
    refuse('needs `fit: contain`: only this fit adds padding around the picture', 'padding');
  }
  if (padding > 0 && 2 * padding >= Math.min(width ?? Infinity, height ?? Infinity)) {
    refuse('is too large: twice the padding must be less than width and height', 'padding');
  }
  if (width !== undefined && height !== undefined && width * height > maxImagePixels) {
    refuse(`times the height must be at most ${maxImagePixels} pixels`, 'width');
  }
}

export interface ExportFields {
  what: readonly string[];
  naming: string;
  images?: readonly ImageOptions[] | undefined;
  original?: boolean | undefined;
  accept?: object | undefined;
}

/** Reports fields of an export that contradict `images`. */
export function checkImages(
  { what, naming: defaultNaming, images, original = true, accept }: ExportFields,
  refuse: ReportIssue,
): void {
  if (images === undefined) {
    if (!original)
      refuse('cannot be false without `images`: nothing would be delivered', 'original');
    return;
  }
  if (!what.includes('renders')) {
    refuse('are made from pictures, so they need `what: [renders]`', 'images');
  }
  if (!original && accept !== undefined) {
    refuse('compares original pictures, so it needs original: true', 'accept');
  }
  for (const [index, image] of images.entries()) {
    const naming = fillExtension(image, defaultNaming);
    const firstIndex = images.findIndex((other) => fillExtension(other, defaultNaming) === naming);
    if (firstIndex === index) continue;
    const message = `has the same names as images[${firstIndex}]: set a separate naming, such as "${suggestNaming(image, defaultNaming)}"`;
    refuse(message, 'images', index);
  }
}

/** Fills the image's extension into its naming. Two images with equal results would overwrite each other. */
export function fillExtension(
  { format, naming: ownNaming }: Pick<ImageOptions, 'format' | 'naming'>,
  defaultNaming: string,
): string {
  const normalized = (ownNaming ?? defaultNaming).replaceAll(/\{\{\s*(\w+)\s*\}\}/g, '{{ $1 }}');
  return foldPath(normalized.replaceAll('{{ ext }}', imageExtension[format]));
}

/** Suggests a distinct naming, with the width, otherwise the height, otherwise the format before the extension. */
export function suggestNaming(
  { format, width, height }: ImageOptions,
  defaultNaming: string,
): string {
  const suffix = String(width ?? height ?? format.toLowerCase());
  return defaultNaming.replace(/(\.[^./]*)?$/, `-${suffix}$1`);
}
