// Reads the size of an uploaded image, or finds out why it cannot be decoded.
import { maxPixels, maxSeconds } from 'renderline/sandbox/bounds';
import sharp from 'sharp';
import { findImageProblem } from './image-limits.ts';

export type ImageInspection =
  | { readonly width: number; readonly height: number }
  | { readonly problem: string };

/**
 * Decodes the whole image, since a truncated, slow or oversized image is a problem too. The size is in pixels as
 * displayed.
 */
export async function inspectImage(source: string | Uint8Array): Promise<ImageInspection> {
  try {
    const refusal = await findImageProblem(source, maxPixels);
    if (refusal !== null) return { problem: refusal };
    const image = sharp(source, { failOn: 'error', limitInputPixels: maxPixels });
    const { autoOrient } = await image.metadata();
    await image.clone().resize(1, 1, { fit: 'fill' }).timeout({ seconds: maxSeconds }).toBuffer();
    return autoOrient;
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('\n') : [];
    return { problem: reason.replace(/^Input (file|buffer) /, 'the file ') };
  }
}
