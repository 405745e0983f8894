// Types of outputs, by the platform's names for them. Pure.
import type { OutputRef } from '../renders/refs.ts';
import { isModelOutput } from './model-output.ts';

const pictureFormats: Readonly<Record<string, 'png' | 'jpeg' | 'tiff'>> = {
  PNG: 'png',
  JPEG: 'jpeg',
  JPG: 'jpeg',
  TIFF: 'tiff',
  TIF: 'tiff',
};
/** As a message tells them. */
export const renderTypes = 'PNG, JPEG, TIFF, MP4 or PRORES';

const videoTypes = new Set(['MP4', 'MOV', 'PRORES']);

export function pictureFormatOf({ fileType }: OutputRef): 'png' | 'jpeg' | 'tiff' | null {
  return pictureFormats[fileType.toUpperCase()] ?? null;
}

/** Nothing tells the size of an output before it comes: those that are hardly compressed, videos and models may have hundreds of megabytes. */
export function mayBeLarge(output: OutputRef): boolean {
  if (isModelOutput(output)) return true;
  return renderedAs(output) === 'video' || pictureFormatOf(output) === 'tiff';
}

/** null: nothing that a render is asked for. A picture is one also where the platform calls it a video. */
export function renderedAs(output: OutputRef): 'picture' | 'video' | null {
  if (pictureFormatOf(output) !== null) return 'picture';
  return videoTypes.has(output.fileType.toUpperCase()) ? 'video' : null;
}
