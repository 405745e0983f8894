// Looks at a delivered picture before it gets its name: whole, of the format asked for, not blank.
import { open } from 'node:fs/promises';
import sharp from 'sharp';
import type { OutputRef } from '../../plan/types.ts';
import { OutputError } from './output-error.ts';

export interface PictureRules {
  minWidth?: number | undefined;
  minHeight?: number | undefined;
  notBlank: boolean;
}

const formats: Record<string, string> = {
  png: 'png',
  jpeg: 'jpeg',
  jpg: 'jpeg',
  tiff: 'tiff',
  tif: 'tiff',
};

/**
 * Size of the picture in pixels; 0 x 0 for videos, which are not decoded here.
 * @throws OutputError OUTPUT_UNREADABLE, OUTPUT_FORMAT, OUTPUT_TOO_SMALL or OUTPUT_BLANK
 */
export async function inspectPicture(
  file: string,
  output: OutputRef,
  rules: PictureRules,
): Promise<{ width: number; height: number }> {
  if (output.isVideo) return { width: 0, height: 0 };
  const picture = sharp(file, { failOn: 'truncated', sequentialRead: true });
  const { width, height, format } = await picture
    .metadata()
    .catch((error: unknown) => blame(file, output, error));
  const wanted = formats[output.fileType.toLowerCase()];
  if (wanted !== undefined && format !== wanted) {
    throw new OutputError(
      'OUTPUT_FORMAT',
      output,
      `is ${format}, the platform called it ${output.fileType}`,
    );
  }
  if (width < (rules.minWidth ?? 1) || height < (rules.minHeight ?? 1)) {
    throw new OutputError('OUTPUT_TOO_SMALL', output, `is ${width} x ${height} pixels`);
  }
  // Decoding to the last pixel is the only proof that a picture is whole. sharp's own statistics would
  // say more than is asked here and take ten times as long.
  const decoded = picture.raw().toBuffer({ resolveWithObject: true });
  const { data, info } = await decoded.catch((error: unknown) => blame(file, output, error));
  if (rules.notBlank && isBlank(data, info.channels)) {
    throw new OutputError('OUTPUT_BLANK', output, 'shows one single colour');
  }
  return { width, height };
}

/** All pixels are equal just when the picture equals itself moved on by one pixel. */
function isBlank(pixels: Buffer, channels: number): boolean {
  return pixels.subarray(channels).equals(pixels.subarray(0, pixels.length - channels));
}

async function blame(file: string, output: OutputRef, error: unknown): Promise<never> {
  // A file that cannot be opened says nothing about the picture: this machine has too many open, say.
  await (await open(file, 'r')).close();
  const message = error instanceof Error ? error.message : String(error);
  // The place of the staged file tells nobody anything.
  const reason = message.replaceAll(file, 'the file');
  throw new OutputError('OUTPUT_UNREADABLE', output, `cannot be read as a picture: ${reason}`);
}
