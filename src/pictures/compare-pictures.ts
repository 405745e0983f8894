// Measures how much of a picture has visibly changed.
import { decodeSmallPixels, shrinkPicture } from './decoding/decode.ts';

/** Both pictures are scaled to this box, which hides renderer noise and shows changes of a hundredth of a side. */
const box = { width: 512, height: 512 };
/**
 * Minimum difference, 0 to 1, of a pixel that counts as changed. With this value, JPEG artefacts at quality 80 and a
 * noise of 12 of 255 levels do not count, but a change of hue does.
 */
const threshold = 0.05;
/** Maximum size of the previews. */
const copyBox = { width: 240, height: 180 };

export interface Change {
  /** Changed part of the picture, 0 to 1, with four digits. */
  share: number;
  /** A small JPEG of the earlier picture. */
  before: Buffer;
}

/**
 * Compares two pictures. If their proportions differ, the picture counts as completely changed.
 * @throws PictureError; errors of the file system unchanged
 */
export async function compareFiles(before: string, after: string): Promise<Change> {
  const [oldPixels, newPixels] = await Promise.all([
    decodeSmallPixels(before, box),
    decodeSmallPixels(after, box),
  ]);
  const { width, height } = newPixels;
  // The library is loaded on use, because commands that only read files import this module too.
  const { default: pixelmatch } = await import('pixelmatch');
  const isAlike = oldPixels.width === width && oldPixels.height === height;
  const differingPixels = isAlike
    ? pixelmatch(oldPixels.data, newPixels.data, undefined, width, height, { threshold })
    : width * height;
  const share = Math.round((differingPixels / (width * height)) * 10_000) / 10_000;
  return { share, before: await createPreview(before) };
}

/** Creates a small JPEG of a picture, for people. */
export function createPreview(file: string): Promise<Buffer> {
  return shrinkPicture(file, copyBox);
}
