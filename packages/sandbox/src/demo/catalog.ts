// A small catalog of product models for demos and tests.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProduct } from './build-product.ts';
import type { ProductDescription } from './description.ts';
import * as kitchen from './kitchen.ts';
import * as living from './living-room.ts';
import { encodeProduct } from './product.ts';

/** The products by folder. Each export of a module is a product, and its name becomes the file name. */
const folders: Readonly<Record<string, Readonly<Record<string, ProductDescription>>>> = {
  kitchen,
  living,
};

/**
 * Writes the catalog into a folder, which is created if it is missing, and returns the relative paths. The files are
 * always the same, byte for byte, and replace existing files with these names.
 */
export async function writeCatalog(dir: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const [folder, products] of Object.entries(folders)) {
    await mkdir(join(dir, folder), { recursive: true });
    for (const [name, description] of Object.entries(products)) {
      const file = `${folder}/${name}.glb`;
      await writeFile(join(dir, file), await encodeProduct(await buildProduct(description)));
      files.push(file);
    }
  }
  return files;
}
