// The pictures of a sheet as they are embedded: views as the JPEG they were drawn as, artwork as opaque PNG.
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { Sheet } from '../records.ts';

export type Images = ReadonlyMap<string | undefined, Buffer>;

/** At most this many pixels a side for artwork: 300 an inch on the page. */
const artworkPixels = 1400;

/** Reads all pictures that a sheet names; those that are gone or broken are left out. */
export async function readImages(sheet: Sheet, path: (name: string) => string): Promise<Images> {
  const { includeDetailPages } = sheet.options;
  const views = sheet.variants.flatMap((variant) => [
    ...Object.values(variant.views ?? {}),
    ...(variant.preview === undefined ? [] : [variant.preview]),
    ...(includeDetailPages ? variant.logos.flatMap(({ closeUp }) => closeUp ?? []) : []),
  ]);
  const artwork = sheet.variants.flatMap(({ logos }) =>
    logos.flatMap(({ picture }) => picture ?? []),
  );
  const images = new Map<string | undefined, Buffer>();
  for (const name of new Set(views)) {
    await keep(images, name, () => readFile(path(name)));
  }
  for (const name of includeDetailPages ? new Set(artwork) : []) {
    await keep(images, name, () =>
      sharp(path(name), { density: 300 })
        .resize(artworkPixels, artworkPixels, { fit: 'inside', withoutEnlargement: true })
        .flatten({ background: '#d3d7db' })
        .toColourspace('srgb')
        .png()
        .toBuffer(),
    );
  }
  return images;
}

async function keep(
  images: Map<string | undefined, Buffer>,
  name: string,
  read: () => Promise<Buffer>,
): Promise<void> {
  const image = await read().catch(() => undefined);
  if (image) images.set(name, image);
}
