// Compiles sources for a child process, since Node 20 cannot load TypeScript and `dist` may be out of date.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Compiled {
  folder: string;
  /** Path of the JavaScript for a source path relative to the root. */
  path: (source: string) => string;
}

/** Compiles `sources` with their imports. The folder lies below node_modules, so that packages resolve. */
export async function compileForNode(...sources: string[]): Promise<Compiled> {
  const cache = join(root, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'renderline-system-'));
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const flags = ['--ignoreConfig', '--noCheck', '--rootDir', root, '--outDir', folder];
  const form = ['--module', 'nodenext', '--target', 'es2023', '--rewriteRelativeImportExtensions'];
  await promisify(execFile)(tsc, [...flags, ...form, ...sources], { cwd: root });
  return {
    folder,
    path: (source) => join(folder, relative(root, join(root, source)).replace(/\.ts$/, '.js')),
  };
}
