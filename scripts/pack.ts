// `npm run pack`: builds the published packages in dist/packages, without the parts for development. Exits with 1 if a
// package has a fault.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { faultsOf } from './pack/faults.ts';
import { isShipped, type Manifest, publishedManifestOf } from './pack/published.ts';
import { sbomOf } from './pack/sbom.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const target = join(root, 'dist', 'packages');

await rm(target, { recursive: true, force: true });
for (const folder of ['.', 'packages/sandbox']) {
  const source = join(root, folder);
  const manifest: Manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  const stagingFolder = join(target, 'staged', manifest.name);
  for (const part of manifest.files.filter((pattern) => !pattern.startsWith('!'))) {
    const filter = (path: string) => isShipped(source, path);
    await cp(join(source, part), join(stagingFolder, part), { recursive: true, filter });
  }
  for (const part of ['README.md', 'CHANGELOG.md', 'LICENSE', 'NOTICE']) {
    await cp(join(source, part), join(stagingFolder, part)).catch(ignoreAbsent);
  }
  await mkdir(stagingFolder, { recursive: true });
  await writeFile(
    join(stagingFolder, 'package.json'),
    `${JSON.stringify(publishedManifestOf(manifest), null, 2)}\n`,
  );
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', target];
  const { stdout } = await run('npm', args, { cwd: stagingFolder, maxBuffer: 64 * 1024 ** 2 });
  const [packed]: [{ filename: string; size: number; entryCount: number }] = JSON.parse(stdout);
  const { filename, size, entryCount } = packed;
  console.log(`dist/packages/${filename}  ${entryCount} files, ${(size / 1e6).toFixed(1)} MB`);
  for (const fault of await faultsOf(await readFile(join(target, filename)))) {
    console.error(`  ${fault}`);
    process.exitCode = 1;
  }
}
await rm(join(target, 'staged'), { recursive: true });
const { version }: Manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const sbom = `renderline-${version}.cdx.json`;
await writeFile(join(target, sbom), await sbomOf(root));
console.log(`dist/packages/${sbom}  all that they are shipped with (CycloneDX)`);

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
