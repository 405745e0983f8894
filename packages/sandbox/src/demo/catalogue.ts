// A small catalogue of product models of our own making, for demos and tests.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeClock, makeLamp, makeVase } from './decor.ts';
import { makeChair, makeStool, makeTable } from './furniture.ts';
import { makeBottle, makeBowl, makeMug, makeTeapot } from './kitchen.ts';
import { type Product, writeProduct } from './product.ts';

/** File by file, in the order of their names. */
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
 * Writes the catalogue into a folder (made if missing) and returns the files' paths relative to it.
 * The same files, byte for byte, every time; files that are there under these names are replaced.
 */
export async function makeCatalogue(dir: string): Promise<readonly string[]> {
  for (const [file, make] of catalogue) {
    const path = join(dir, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await writeProduct(await make()));
  }
  return [...catalogue.keys()];
}
