import type { OutputRef } from '../../renders/platform-ids.ts';
import { isModelOutput } from '../models/model-output.ts';

const pictureFormats: Readonly<Record<string, 'png' | 'jpeg' | 'tiff'>> = {
  PNG: 'png',
  JPEG: 'jpeg',
  JPG: 'jpeg',
  TIFF: 'tiff',
  TIF: 'tiff',
};

/** The accepted types, for messages. */
export const renderTypeNames = 'PNG, JPEG, TIFF, MP4 or PRORES';

const videoTypes = new Set(['MP4', 'MOV', 'PRORES']);

export function findPictureFormat({ fileType }: OutputRef): 'png' | 'jpeg' | 'tiff' | null {
  return pictureFormats[fileType.toUpperCase()] ?? null;
}

/** True for TIFFs, videos and models, which may be hundreds of megabytes. The size is unknown before the download. */
export function canBeLarge(output: OutputRef): boolean {
  if (isModelOutput(output)) return true;
  return findOutputKind(output) === 'video' || findPictureFormat(output) === 'tiff';
}

/** Decides by file type, not by the platform's `isVideo`. Returns null for a type that renders do not produce. */
export function findOutputKind(output: OutputRef): 'picture' | 'video' | null {
  if (findPictureFormat(output) !== null) return 'picture';
  return videoTypes.has(output.fileType.toUpperCase()) ? 'video' : null;
}
