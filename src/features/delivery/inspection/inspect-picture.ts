// Inspects a downloaded picture before it is renamed: its data must be complete, and its format, size and content
// allowed.

import { type DecodedPicture, decodePicture } from '../../../pictures/decoding/decode.ts';
import { PictureError } from '../../../pictures/picture-error.ts';
import { defaultMaxPixels } from '../../../pictures/picture-header.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { deliveryFailures } from '../failures.ts';
import { OutputError } from '../outputs/output-error.ts';
import { pictureFormatOf } from '../outputs/output-types.ts';

export interface PictureRules {
  minWidth?: number | undefined;
  minHeight?: number | undefined;
  /** Width times height. */
  maxPixels?: number | undefined;
  notBlank: boolean;
}

/**
 * Returns the size of the picture in pixels.
 * @throws OutputError OUTPUT_UNREADABLE, OUTPUT_FORMAT, OUTPUT_TOO_LARGE, OUTPUT_TOO_SMALL or OUTPUT_BLANK
 */
export async function inspectPicture(
  file: string,
  output: OutputRef,
  { maxPixels = defaultMaxPixels, minWidth = 1, minHeight = 1, notBlank }: PictureRules,
): Promise<{ width: number; height: number }> {
  const { format, width, height, isBlank } = await decode(file, output, maxPixels);
  if (format !== pictureFormatOf(output)) {
    const problem = `is ${format}, the platform called it ${output.fileType}`;
    throw new OutputError(deliveryFailures.OUTPUT_FORMAT, output, problem);
  }
  if (width < minWidth || height < minHeight) {
    throw new OutputError(
      deliveryFailures.OUTPUT_TOO_SMALL,
      output,
      `is ${width} x ${height} pixels`,
    );
  }
  if (notBlank && isBlank) {
    throw new OutputError(deliveryFailures.OUTPUT_BLANK, output, 'shows one single colour');
  }
  return { width, height };
}

async function decode(file: string, output: OutputRef, maxPixels: number): Promise<DecodedPicture> {
  try {
    return await decodePicture(file, maxPixels);
  } catch (error) {
    // Other errors are not about the picture, for example too many open files on this machine.
    if (!(error instanceof PictureError)) throw error;
    if (error.fault === 'TOO_LARGE') {
      throw new OutputError(deliveryFailures.OUTPUT_TOO_LARGE, output, error.message);
    }
    const problem = `cannot be read as a picture: it ${error.message}`;
    throw new OutputError(deliveryFailures.OUTPUT_UNREADABLE, output, problem);
  }
}
