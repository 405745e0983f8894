// Schema and checks of `images`: the images that an export derives from each picture. Pure.
import { z } from 'zod';
import { sizeBytes } from '../../../language/byte-size.ts';
import { byteSize, naming } from '../../../language/fields.ts';
import { hashOf } from '../../../language/hash.ts';
import { foldPath } from '../../../language/naming.ts';
import {
  defaultQuality,
  type ImageSpec,
  imageExtension,
  imageFits,
  imageFormats,
  maxImagePixels,
  maxImageSide,
  minQuality,
} from '../../../pictures/image-spec.ts';
import type { Json } from '../../../plan/types.ts';

/** Images of one export. */
export const maxImages = 20;

const side = (what: string) =>
  z
    .int()
    .positive()
    .max(maxImageSide)
    .optional()
    .describe(
      `${what} in pixels. An image that would be larger than its original fails with IMAGE_LARGER.`,
    );

const ImageFields = z.strictObject({
  format: z.enum(imageFormats),
  width: side('Width'),
  height: side('Height'),
  fit: z
    .enum(imageFits)
    .optional()
    .describe(
      'How the picture is fitted to width and height: `inside` scales it to fit within, `cover` fills the size and crops the rest, `contain` scales it to fit and pads the rest. Default: inside.',
    ),
  padding: z
    .int()
    .positive()
    .optional()
    .describe('With `fit: contain`: empty pixels on each side.'),
  background: z
    .string()
    .regex(
      /^(?:#[0-9a-fA-F]{6}|white|black|transparent)$/,
      'must be a colour such as "#ffffff", or white, black or transparent',
    )
    .optional()
    .describe(
      'Colour behind transparent parts and in the padding: `#rrggbb`, `white`, `black` or `transparent`. Default: transparent; white for JPEG.',
    ),
  bits: z
    .literal([8, 16])
    .optional()
    .describe(
      'Bits per channel. 16 needs a TIFF image and a render with `imageFormat: TIFF`. Default: 8.',
    ),
  quality: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(
      `Quality of a JPEG, WEBP or AVIF. Default: ${defaultQuality.JPEG}, ${defaultQuality.WEBP}, ${defaultQuality.AVIF}.`,
    ),
  maxBytes: z
    .union([z.int().positive(), byteSize], {
      error: 'must be a size such as 500KB, or a number of bytes',
    })
    .optional()
    .describe(
      `Maximum size of a JPEG, WEBP or AVIF, such as 500KB. The quality is lowered to at least ${minQuality} until the image fits; otherwise it fails.`,
    ),
  naming: naming('Path of each image. Default: `naming` of the export.').optional(),
});
export type ImageOptions = z.output<typeof ImageFields>;

type ReportIssue = (message: string, ...path: (string | number)[]) => void;

export const Images = z
  .array(
    ImageFields.superRefine((image, context) => {
      const refuse: ReportIssue = (message, ...path) =>
        context.addIssue({ code: 'custom', message, path });
      checkFormatFields(image, refuse);
      checkSizeFields(image, refuse);
    }),
  )
  .min(1)
  .max(maxImages)
  .describe('Images made from each delivered picture, in sRGB. They cost no extra render.');

function checkFormatFields(
  { format, bits, quality, maxBytes, background }: ImageOptions,
  refuse: ReportIssue,
) {
  const isLossy = defaultQuality[format] !== undefined;
  for (const [name, value] of Object.entries({ quality, maxBytes })) {
    if (value === undefined || isLossy) continue;
    refuse(`goes with JPEG, WEBP or AVIF, and a ${format} has no quality: remove it`, name);
  }
  if (bits === 16 && format !== 'TIFF') {
    refuse(`16 bits go into a TIFF, not into a ${format}: write format: TIFF, or bits: 8`, 'bits');
  }
  if (background === 'transparent' && format === 'JPEG') {
    const message = 'a JPEG has nothing transparent: name a colour, or another format';
    refuse(message, 'background');
  }
}

function checkSizeFields({ width, height, fit, padding = 0 }: ImageOptions, refuse: ReportIssue) {
  if (fit === 'inside' && width === undefined && height === undefined) {
    refuse('needs a size: give width, height or both', 'fit');
  }
  const isFilled = fit === 'cover' || fit === 'contain';
  if (isFilled && (width === undefined || height === undefined)) {
    refuse(`${fit} needs both width and height`, 'fit');
  }
  if (padding > 0 && fit !== 'contain') {
    refuse('goes with fit: contain, which fills up what is beside the picture', 'padding');
  }
  if (padding > 0 && 2 * padding >= Math.min(width ?? Infinity, height ?? Infinity)) {
    refuse('leaves nothing of the picture: it stands on both sides', 'padding');
  }
  if (width !== undefined && height !== undefined && width * height > maxImagePixels) {
    refuse(`gives more than ${maxImagePixels} pixels in all with the height`, 'width');
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
    if (!original) refuse('false leaves nothing to deliver without `images`', 'original');
    return;
  }
  if (!what.includes('renders')) {
    refuse('are made of pictures: need what: [renders]', 'images');
  }
  if (!original && accept !== undefined) {
    refuse('compares originals: needs original: true', 'accept');
  }
  for (const [index, image] of images.entries()) {
    const same = images
      .slice(0, index)
      .findIndex((other) => haveSameNaming(other, image, defaultNaming));
    if (same >= 0) {
      refuse(
        `has the names of images[${same}]: give it a naming of its own, as in "${suggestNaming(image, defaultNaming)}"`,
        'images',
        index,
      );
    }
  }
}

function haveSameNaming(one: ImageOptions, other: ImageOptions, defaultNaming: string): boolean {
  return namingWithExtension(one, defaultNaming) === namingWithExtension(other, defaultNaming);
}

/** Naming template with the image's extension filled in. Two images with equal results would overwrite each other. */
export function namingWithExtension(
  { format, naming: own }: Pick<ImageOptions, 'format' | 'naming'>,
  defaultNaming: string,
): string {
  const plain = (own ?? defaultNaming).replaceAll(/\{\{\s*(\w+)\s*\}\}/g, '{{ $1 }}');
  return foldPath(plain.replaceAll('{{ ext }}', imageExtension[format]));
}

/** Suggests a distinct naming: with the size, or the format, before the extension. */
export function suggestNaming(
  { format, width, height }: ImageOptions,
  defaultNaming: string,
): string {
  const apart = String(width ?? height ?? format.toLowerCase());
  return defaultNaming.replace(/(\.[^./]*)?$/, `-${apart}$1`);
}

/** The part of an export's recipe that comes from `images`; null if there are none. */
export function imagesRecipe({ images, original = true }: ExportFields): Json | null {
  if (images === undefined) return null;
  const same = images.map((image) => toJson({ ...toImageSpec(image), naming: image.naming }));
  return { images: same, original };
}

/** The options that determine the bytes of an image, besides its original. */
export function toImageSpec({
  naming: _naming,
  background = '',
  maxBytes,
  ...spec
}: ImageOptions): ImageSpec {
  return {
    ...spec,
    ...(background === ''
      ? {}
      : { background: namedColors[background] ?? background.toLowerCase() }),
    ...(maxBytes === undefined
      ? {}
      : { maxBytes: typeof maxBytes === 'string' ? sizeBytes(maxBytes) : maxBytes }),
  };
}

const namedColors: Readonly<Record<string, string>> = { white: '#ffffff', black: '#000000' };

/** Hash of the options that determine the bytes of an image. Does not depend on its name. */
export function hashImageSpec(image: ImageOptions): string {
  return hashOf(toJson(toImageSpec(image))).slice(0, 8);
}

/** Names for people, such as `JPEG 800x800`, by the hashes of the options. */
export function imageNames(images: readonly ImageOptions[]): Record<string, string> {
  const nameOf = ({ format, width, height }: ImageOptions) => {
    const size =
      width === undefined && height === undefined ? '' : ` ${width ?? ''}x${height ?? ''}`;
    return `${format}${size}`;
  };
  return Object.fromEntries(images.map((image) => [hashImageSpec(image), nameOf(image)]));
}

function toJson(fields: ImageOptions | ImageSpec): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
