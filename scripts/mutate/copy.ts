// A copy of the working tree for mutations, so that the original is never changed.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { applyChange, type Mutant } from './mutants.ts';

/** Scope of the repository's own packages, which are links into the tree. */
const ownScope = '@renderline';

export interface Copy {
  folder: string;
  /** Returns the files of the tree within this folder or at this path. */
  filesIn(folder: string): string[];
  read(path: string): Promise<string>;
  withMutant<T>(mutant: Mutant, task: () => Promise<T>): Promise<T>;
  remove(): Promise<void>;
}

/** Copies all files, tracked or not, that Git does not ignore. */
export async function copyTree(root: string): Promise<Copy> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
  );
  // Only existing files are copied, because Git lists a deleted file until the deletion is committed.
  const files = stdout.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  const folder = await mkdtemp(join(tmpdir(), 'renderline-mutants-'));
  for (const path of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(root, path), join(folder, path));
  }
  await linkPackages(join(root, 'node_modules'), join(folder, 'node_modules'));
  const read = (path: string) => readFile(join(folder, path), 'utf8');
  return {
    folder,
    filesIn: (part) => files.filter((path) => path === part || path.startsWith(`${part}/`)),
    read,
    async withMutant(mutant, task) {
      const text = await read(mutant.path);
      await writeFile(join(folder, mutant.path), applyChange(text, mutant.change));
      try {
        return await task();
      } finally {
        await writeFile(join(folder, mutant.path), text);
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Links the packages one by one, so that caches and the repository's own packages belong to the copy. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith('.') && name !== '.bin') continue;
    if (entry.isSymbolicLink()) await symlink(await readlink(join(from, name)), join(to, name));
    else if (name === ownScope) await linkPackages(join(from, name), join(to, name));
    else await symlink(join(from, name), join(to, name));
  }
}
