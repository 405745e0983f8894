// Schema of an image that an export derives from each picture, and of the fields that it shares with a channel. Pure.
import { z } from 'zod';
import { byteSize, naming } from '../../../language/fields.ts';
import {
  defaultQuality,
  imageFits,
  imageFormats,
  maxFrameSide,
  maxImageSide,
  minQuality,
} from '../../../pictures/image-spec.ts';

const sideField = (label: string) =>
  z
    .int()
    .positive()
    .max(maxImageSide)
    .optional()
    .describe(
      `${label} in pixels. An image that would be larger than its original fails with IMAGE_LARGER.`,
    );

/** A share of the frame, such as 85%. */
const share = z
  .string()
  .regex(/^(?:100|[5-9]\d)%$/, 'must be a share from 50% to 100%, such as "85%"');

const color = z
  .string()
  .regex(
    /^(?:#[0-9a-fA-F]{6}|white|black)$/,
    'must be a colour such as "#ffffff", or white or black',
  );

const count = z.int().positive();

const bytes = z.union([count, byteSize], {
  error: 'must be a size such as 500KB, or a number of bytes',
});

/** A check, or `false`, which disables the check of the channel. */
const allowDisabled = <T extends z.ZodType>(check: T) => z.union([check, z.literal(false)]);

const Checks = z
  .strictObject({
    background: allowDisabled(color)
      .optional()
      .describe('Exact colour that everything around the object must have.'),
    fill: allowDisabled(share)
      .optional()
      .describe('Minimum share of the frame that the object fills in its longer direction.'),
    longestSide: allowDisabled(z.strictObject({ min: count.optional(), max: count.optional() }))
      .optional()
      .describe('Limits on the longest side, in pixels.'),
    shortestSide: allowDisabled(z.strictObject({ min: count }))
      .optional()
      .describe('Limit on the shortest side, in pixels.'),
    maxPixels: allowDisabled(count).optional().describe('Maximum of width times height.'),
    maxBytes: allowDisabled(bytes).optional().describe('Maximum size of the file, such as 16MB.'),
    square: z.boolean().optional().describe('Width and height must be equal.'),
    noAlpha: z.boolean().optional().describe('The file must not have an alpha channel.'),
    profile: allowDisabled(z.literal('sRGB'))
      .optional()
      .describe('The file must be tagged as sRGB.'),
  })
  .describe(
    'Requirements for each finished image. An image that violates a requirement is not delivered, and its asset fails; `false` disables a check of the channel.',
  );

/** Fields of an image that a channel may have too. */
export const imageShape = {
  format: z
    .enum(imageFormats)
    .default('JPEG')
    .describe('File format. Default: the format of the channel, else JPEG.'),
  width: sideField('Width'),
  height: sideField('Height'),
  fit: z
    .enum(imageFits)
    .optional()
    .describe(
      'How the picture is fitted to width and height: `inside` scales the picture to fit within, `cover` fills the size and crops the rest, `contain` scales the picture to fit and pads the rest. Default: inside.',
    ),
  padding: z
    .int()
    .positive()
    .optional()
    .describe('With `fit: contain`: width of the empty border on each side, in pixels.'),
  maxSide: z
    .int()
    .positive()
    .max(maxFrameSide)
    .optional()
    .describe(
      'Instead of width and height: maximum length of the longest side in pixels. The image is as large as this maximum and its original allow.',
    ),
  square: z.boolean().optional().describe('Without width and height: pads the image to a square.'),
  fill: share
    .optional()
    .describe(
      'Without width and height: cuts the object out of its surroundings and pads it, so that the object fills this share of the frame, such as "90%". The surroundings must be transparent or of one colour.',
    ),
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
  maxBytes: bytes
    .optional()
    .describe(
      `Maximum size of a JPEG, WEBP or AVIF, such as 500KB. The quality is lowered to at least ${minQuality} until the image fits; an image that does not fit even then fails.`,
    ),
  naming: naming(
    'Path of each image. Default: the path of the channel, else `naming` of the export.',
  ).optional(),
  checks: Checks.optional(),
};

export const ImageFields = z.strictObject({
  channel: z
    .string()
    .min(1)
    .max(100)
    .meta({ reference: 'channel' })
    .optional()
    .describe(
      'Built-in channel such as `amazon-main`, or one under `channels:`. Fields set here override the fields of the channel.',
    ),
  ...imageShape,
});
export type ImageOptions = z.output<typeof ImageFields>;
