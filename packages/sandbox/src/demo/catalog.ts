// A small catalog of product models for demos and tests.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildProduct } from './build-product.ts';
import type { ProductDescription } from './description.ts';
import { bottle, bowl, mug, teapot } from './kitchen.ts';
import { chair, clock, lamp, stool, table, vase } from './living-room.ts';
import { writeProduct } from './product.ts';

/** The catalog's files, sorted by name. */
const catalog: ReadonlyMap<string, ProductDescription> = new Map([
  ['kitchen/bottle.glb', bottle],
  ['kitchen/bowl.glb', bowl],
  ['kitchen/mug.glb', mug],
  ['kitchen/teapot.glb', teapot],
  ['living/chair.glb', chair],
  ['living/clock.glb', clock],
  ['living/lamp.glb', lamp],
  ['living/stool.glb', stool],
  ['living/table.glb', table],
  ['living/vase.glb', vase],
]);

/**
 * Writes the catalog into a folder, which is created if missing, and returns the relative paths. The files are always
 * the same, byte for byte, and replace existing files of these names.
 */
export async function writeCatalog(dir: string): Promise<readonly string[]> {
  for (const [file, description] of catalog) {
    const path = join(dir, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await writeProduct(await buildProduct(description)));
  }
  return [...catalog.keys()];
}
