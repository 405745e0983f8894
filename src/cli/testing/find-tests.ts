// The test files that a person means: named ones, those beside named pipelines, and all below the folders that they name.
import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { commandFailures } from '../../failures/commands.ts';
import { CliError } from '../exit.ts';

const isTestFile = (name: string) => /\.test\.ya?ml$/.test(name);

/** @returns paths as a person at `cwd` would name them @throws CliError where a folder has none */
export async function findTestFiles(paths: readonly string[], cwd: string): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    // That a file is not there is said with the problems of the others.
    const info = await stat(resolve(cwd, path)).catch(() => null);
    if (!info?.isDirectory()) {
      // A pipeline stands for its tests.
      found.add(isTestFile(path) ? path : path.replace(/\.ya?ml$/, '.test.yaml'));
      continue;
    }
    const below = await testFilesBelow(resolve(cwd, path));
    if (below.length === 0) {
      const message = `There is no test file (NAME.test.yaml) in ${path === '.' ? cwd : path}.`;
      throw new CliError(commandFailures.NO_TESTS, message);
    }
    for (const file of below) found.add(relative(cwd, file));
  }
  return [...found];
}

async function testFilesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries
    .filter((one) => one.isFile() && isTestFile(one.name))
    .map((one) => join(folder, one.name))
    .toSorted();
  const folders = entries.filter(
    (one) => one.isDirectory() && !one.name.startsWith('.') && one.name !== 'node_modules',
  );
  const deeper = await Promise.all(folders.map(({ name }) => testFilesBelow(join(folder, name))));
  return [...files, ...deeper.flat()];
}
