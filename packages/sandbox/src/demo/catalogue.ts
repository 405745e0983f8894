// A small catalogue of product models for demos and tests.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeClock, makeLamp, makeVase } from './decor.ts';
import { makeChair, makeStool, makeTable } from './furniture.ts';
import { makeBottle, makeBowl, makeMug, makeTeapot } from './kitchen.ts';
import { type Product, writeProduct } from './product.ts';

/** The catalogue's files, sorted by name. */
const catalogue: ReadonlyMap<string, () => Promise<Product>> = new Map([
  ['kitchen/bottle.glb', makeBottle],
  ['kitchen/bowl.glb', makeBowl],
  ['kitchen/mug.glb', makeMug],
  ['kitchen/teapot.glb', makeTeapot],
  ['living/chair.glb', makeChair],
  ['living/clock.glb', makeClock],
  ['living/lamp.glb', makeLamp],
  ['living/stool.glb', makeStool],
  ['living/table.glb', makeTable],
  ['living/vase.glb', makeVase],
]);

/**
 * Writes the catalogue into a folder, which is created if missing, and returns the relative paths. The files are always
 * the same, byte for byte, and replace existing files of these names.
 */
export async function makeCatalogue(dir: string): Promise<readonly string[]> {
  for (const [file, make] of catalogue) {
    const path = join(dir, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await writeProduct(await make()));
  }
  return [...catalogue.keys()];
}
