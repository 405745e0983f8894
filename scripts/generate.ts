// Writes the generated files. With --check, lists the files that are out of date.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { valuesPage } from './chart/values-page.ts';
import { createGeneratedFiles, generatedFolders } from './docs/generated-files.ts';

// This file runs as dist/scripts/generate.js.
const root = fileURLToPath(new URL('../../', import.meta.url));
const chart = 'deploy/helm/renderline';
const files = new Map([
  ...createGeneratedFiles(),
  valuesPage(
    await readFile(join(root, chart, 'values.schema.json'), 'utf8'),
    await readFile(join(root, chart, 'values.yaml'), 'utf8'),
  ),
]);

const stalePaths: string[] = [];
for (const [path, text] of files) {
  if ((await textOf(path)) !== text) stalePaths.push(path);
}

const existingPaths = (await Promise.all(generatedFolders.map(filesOf))).flat();
const extraPaths = existingPaths.filter((path) => !files.has(path));

if (process.argv.includes('--check')) {
  for (const path of stalePaths) console.error(`${path} is out of date`);
  for (const path of extraPaths) console.error(`${path} is no longer generated`);
  if (stalePaths.length + extraPaths.length > 0) {
    console.error('Run: npm run generate');
    process.exitCode = 1;
  }
} else {
  for (const path of stalePaths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), files.get(path) ?? '');
    console.log(`wrote ${path}`);
  }
  for (const path of extraPaths) {
    await rm(join(root, path));
    console.log(`removed ${path}`);
  }
}

async function textOf(path: string): Promise<string | null> {
  return readFile(join(root, path), 'utf8').catch(() => null);
}

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder)).catch(() => []);
  return names.map((name) => `${folder}/${name}`);
}
