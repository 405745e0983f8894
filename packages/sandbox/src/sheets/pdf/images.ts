// The pictures embedded in a sheet: views as their JPEG files, artwork as opaque PNG.
import { access } from 'node:fs/promises';
import { maxPixels } from 'renderline/sandbox/bounds';
import sharp from 'sharp';
import { findImageProblem } from '../../files/image-limits.ts';
import type { Sheet } from '../../state/production-records.ts';

/** Paths or data URLs by picture name. The PDF embeds equal ones once. */
export type ImageSourceByName = ReadonlyMap<string | undefined, string>;

/** Maximum artwork pixels per side: over 300 per inch on the page. */
const artworkPixels = 1400;

/** Reads the pictures that the PDF shows. Missing views, and artwork that is missing or unreadable, are left out. */
export async function readImages(
  sheet: Sheet,
  path: (name: string) => string,
): Promise<ImageSourceByName> {
  const { includeDetailPages } = sheet.options;
  const views = sheet.variants.flatMap((variant) => [
    ...Object.values(variant.views ?? {}),
    ...(variant.preview === undefined ? [] : [variant.preview]),
    ...(includeDetailPages ? variant.logos.flatMap(({ closeUp }) => closeUp ?? []) : []),
  ]);
  const images = new Map<string | undefined, string>();
  for (const name of new Set(views)) {
    await access(path(name)).then(
      () => images.set(name, path(name)),
      () => undefined,
    );
  }
  if (!includeDetailPages) return images;
  const logos = sheet.variants.flatMap((variant) => variant.logos);
  for (const name of new Set(logos.flatMap(({ picture }) => picture ?? []))) {
    const png = await readArtwork(path(name)).catch(() => undefined);
    if (png) images.set(name, `data:image/png;base64,${png.toString('base64')}`);
  }
  return images;
}

/**
 * @throws Error for a picture that must not be decoded (`findImageProblem`), for example an SVG or one with too many
 * pixels
 */
async function readArtwork(path: string): Promise<Buffer> {
  const refusal = await findImageProblem(path, maxPixels);
  if (refusal !== null) throw new Error(refusal);
  return sharp(path, { limitInputPixels: maxPixels })
    .resize(artworkPixels, artworkPixels, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#d3d7db' })
    .toColourspace('srgb')
    .png()
    .toBuffer();
}
