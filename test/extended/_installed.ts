// Installs the published packages from their tarballs into a folder without access to the repository.
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tempFolder } from '../system/_stack.ts';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Lock {
  packages: Record<string, { link?: boolean; dev?: boolean }>;
}

/** Packs both packages. @returns the paths of the tarballs @throws if a package has a fault */
export async function pack(): Promise<string[]> {
  await execute(process.execPath, ['dist/scripts/pack.js'], { cwd: root });
  const folder = join(root, 'dist', 'packages');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  return names.map((name) => join(folder, name));
}

/**
 * Installs tarballs into a new folder without registry requests: dependencies come from npm's cache, which `npm ci` has
 * filled with the locked versions. @returns the folder
 */
export async function install(tarballs: readonly string[]): Promise<string> {
  const folder = await tempFolder('installed');
  const lock: Lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const shipped = Object.entries(lock.packages).filter(
    ([path, { link, dev }]) => path.startsWith('node_modules/') && !link && !dev,
  );
  const mine = { name: 'mine', version: '1.0.0', type: 'module' };
  await writeFile(join(folder, 'package.json'), JSON.stringify(mine));
  await writeFile(
    join(folder, 'package-lock.json'),
    JSON.stringify({
      ...mine,
      lockfileVersion: 3,
      packages: { '': mine, ...Object.fromEntries(shipped) },
    }),
  );
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await execute('npm', ['install', ...options, ...tarballs], { cwd: folder });
  return folder;
}

/** Runs `npx WORDS` in a folder. @throws Error with its output if the exit code is not 0 */
export async function npx(folder: string, words: readonly string[]): Promise<string> {
  const { stdout } = await execute('npx', ['--offline', ...words], { cwd: folder });
  return stdout.trim();
}
