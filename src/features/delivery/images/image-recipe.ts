// The options that determine the bytes of an image, as a specification, as a hash and as part of the recipe. Pure.
import { parseSizeBytes } from '../../../language/byte-size.ts';
import { computeShortSha256 } from '../../../language/hash.ts';
import type { ImageChecks } from '../../../pictures/image-checks.ts';
import type { ImageSpec } from '../../../pictures/image-spec.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import type { Json } from '../../../plan/types.ts';
import type { ImageOptions } from './image-fields.ts';
import type { ExportFields } from './image-options.ts';

/** Returns the part of an export's recipe that comes from `images`, or null if there are no images. */
export function imagesRecipeOf({ images, original = true }: ExportFields): Json | null {
  if (images === undefined) return null;
  const imageOptions = images.map((image) =>
    toJson({ ...toImageSpec(image), naming: image.naming }),
  );
  return { images: imageOptions, original };
}

/** Returns the options that, with the original, determine the bytes of an image and whether it is delivered. */
export function toImageSpec({
  naming: _naming,
  channel: _channel,
  background,
  maxBytes,
  fill,
  checks,
  ...spec
}: ImageOptions): ImageSpec {
  const imageChecks = checks && toImageChecks(checks);
  // Without `background`, the image gets a background that passes its checks.
  const passing = imageChecks?.background ?? (imageChecks?.alpha === false ? 'white' : undefined);
  const backgroundName = background ?? passing;
  return {
    ...spec,
    ...omitUndefined({
      background: backgroundName && colorOf(backgroundName),
      maxBytes: bytesOf(maxBytes),
      fill: shareOf(fill),
      checks: imageChecks,
    }),
  };
}

function toImageChecks({
  background,
  fill,
  maxBytes,
  noAlpha,
  ...others
}: NonNullable<ImageOptions['checks']>): ImageChecks {
  const activeChecks = Object.entries(others).filter(([, check]) => check !== false);
  return omitUndefined({
    background: background ? colorOf(background) : undefined,
    fill: shareOf(fill || undefined),
    maxBytes: bytesOf(maxBytes || undefined),
    alpha: noAlpha ? false : undefined,
    ...Object.fromEntries(activeChecks),
  });
}

const namedColors: Readonly<Record<string, string>> = { white: '#ffffff', black: '#000000' };
const colorOf = (color: string) => namedColors[color] ?? color.toLowerCase();
const bytesOf = (size: number | string | undefined) =>
  typeof size === 'string' ? parseSizeBytes(size) : size;
const shareOf = (percent: string | undefined) =>
  percent === undefined ? undefined : Number.parseInt(percent, 10) / 100;

/** Hashes the options in `toImageSpec`. The hash does not depend on the image's name. */
export function hashImageSpec(image: ImageOptions): string {
  return computeShortSha256(toJson(toImageSpec(image))).slice(0, 8);
}

function toJson(fields: object): Json {
  return JSON.parse(JSON.stringify(fields)) as Json;
}

/** Returns names for people, such as `amazon-main` or `JPEG 800x800`, by the hashes of the options. */
export function imageNamesOf(images: readonly ImageOptions[]): Record<string, string> {
  const nameOf = ({ channel, format, width, height }: ImageOptions) =>
    channel ?? `${format}${width || height ? ` ${width ?? ''}x${height ?? ''}` : ''}`;
  return Object.fromEntries(images.map((image) => [hashImageSpec(image), nameOf(image)]));
}
