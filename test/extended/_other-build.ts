// Makes another build of the program that differs only in its workflow code.
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '../system/_stack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @returns path of its main file */
export async function otherBuild(change: (code: string) => string): Promise<string> {
  const folder = join(await tempFolder('other-build'), 'renderline');
  await mkdir(folder);
  // Another test may be packing the program at the same time.
  const filter = (path: string) => !path.startsWith(join(root, 'dist/packages'));
  await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const bundle = bundleOf(join(folder, 'dist'));
  const code = await readFile(bundle, 'utf8');
  const changed = change(code);
  if (changed === code) throw new Error('the other build is the same');
  await writeFile(bundle, changed);
  return join(folder, 'dist', 'src', 'cli', 'main.js');
}

/** Path of a build's workflow bundle. @param dist folder of the build */
export const bundleOf = (dist: string): string => join(dist, 'workflow-bundle.js');
