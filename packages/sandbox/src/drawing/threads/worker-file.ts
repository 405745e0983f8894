// Finds the compiled entry of a drawing thread, since threads cannot load TypeScript.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Source and build folders of thread code, relative to the package. */
const threadFolders = [
  ['src/drawing', 'dist/drawing'],
  ['src/files', 'dist/files'],
  ['src/scene', 'dist/scene'],
  ['../../src/glb', '../../dist/src/glb'],
] as const;

function rootOf(folder: string): string | undefined {
  let root = folder;
  while (!existsSync(join(root, 'package.json'))) {
    const parent = dirname(root);
    if (parent === root) return undefined;
    root = parent;
  }
  return root;
}

// True if the build is not older than the sources. An older build could draw other pictures.
function isBuildFresh(root: string): boolean {
  return threadFolders.every(([source, buildFolder]) =>
    readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .every((name) => {
        const compiledFile = join(root, buildFolder, name.replace(/\.ts$/, '.js'));
        if (!existsSync(compiledFile)) return false;
        return statSync(compiledFile).mtimeMs >= statSync(join(root, source, name)).mtimeMs;
      }),
  );
}

/** Finds the path of the compiled thread entry. Returns undefined if no build matches the sources. */
export function findWorkerFile(moduleUrl: string = import.meta.url): string | undefined {
  const folder = dirname(fileURLToPath(moduleUrl));
  const beside = join(folder, 'draw-worker.js');
  if (existsSync(beside)) return beside;
  const root = rootOf(folder);
  if (root === undefined || !existsSync(join(root, 'dist')) || !isBuildFresh(root))
    return undefined;
  return join(root, 'dist', relative(join(root, 'src'), folder), 'draw-worker.js');
}
