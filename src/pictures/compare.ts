// How much of a picture has changed, as a person sees it.
import { shrinkPicture, smallPixels } from './decoding/decode.ts';

/** Pictures are compared at this size: noise of a renderer is gone there, and a changed part of a hundredth of a side is not. */
const box = { width: 512, height: 512 };
/**
 * Least difference of a pixel that counts, of 1. At this value JPEG at quality 80 and a noise of 12 levels in 255 do not
 * count, and a part of another hue does.
 */
const threshold = 0.05;
/** Of small copies for people. */
const copyBox = { width: 240, height: 180 };

export interface Change {
  /** Part of the picture that is not as before, 0 to 1; four digits. */
  share: number;
  /** A small JPEG of the picture before. */
  before: Buffer;
}

/**
 * Pictures of other proportions have changed as a whole.
 * @throws PictureError; errors of the file system as they are
 */
export async function compareFiles(before: string, after: string): Promise<Change> {
  const [old, now] = await Promise.all([smallPixels(before, box), smallPixels(after, box)]);
  const { width, height } = now;
  // Loaded on use: commands that only read files come this way too.
  const { default: pixelmatch } = await import('pixelmatch');
  const isAlike = old.width === width && old.height === height;
  const differing = isAlike
    ? pixelmatch(old.data, now.data, undefined, width, height, { threshold })
    : width * height;
  const share = Math.round((differing / (width * height)) * 10_000) / 10_000;
  return { share, before: await smallCopy(before) };
}

/** A small JPEG of a picture, for people. */
export function smallCopy(file: string): Promise<Buffer> {
  return shrinkPicture(file, copyBox);
}
