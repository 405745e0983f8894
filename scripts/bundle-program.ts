// Bundles the CLI at build time, because a short command spends most of its time loading hundreds of modules
// (docs/decisions/049-command-line.md). `dist/src` is kept for exports, worker threads and tests.
import { chmod, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type InputOptions, type ModuleInfo, rolldown } from 'rolldown';

const manifest: { dependencies: Record<string, string> } = JSON.parse(
  await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
);
const cli = fileURLToPath(new URL('../src/cli/', import.meta.url));
const target = fileURLToPath(new URL('../program/cli/', import.meta.url));

/** Libraries that nearly every command needs and that load faster as part of the bundle. */
const bundledPackages =
  /^(zod|yaml|commander|@commander-js\/extra-typings|@marcbachmann\/cel-js)(\/|$)/;

const main = join(cli, 'main.js');
const options: InputOptions = {
  input: { main },
  platform: 'node',
  external: (id) => isBuiltin(id) || (/^[^./]/.test(id) && !bundledPackages.test(id)),
};

const modules = new Map<string, ModuleInfo>();
const analysis = await rolldown({
  ...options,
  plugins: [{ name: 'modules', moduleParsed: (module) => void modules.set(module.id, module) }],
});
await analysis.generate();
await analysis.close();
const start = findLoadedModules(join(cli, 'program.js'));
const compile = findLoadedModules(join(cli, '../app/compile-pipeline.js'));

const bundle = await rolldown(options);
const { output } = await bundle.write({
  dir: target,
  cleanDir: true,
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  // One chunk contains what every command loads, and one is for commands that read pipelines. `main` is separate,
  // because it awaits the other chunks.
  codeSplitting: {
    groups: [
      { name: 'start', test: (id) => id !== main && start.has(id), priority: 2 },
      { name: 'compile', test: (id) => compile.has(id), priority: 1 },
    ],
  },
});
await bundle.close();
assertKnownPackages(
  output.flatMap((part) => (part.type === 'chunk' ? part.imports.concat(part.dynamicImports) : [])),
);
// `npx renderline` executes this file by its path, but npm sets the executable bit only when it first links the file.
await chmod(join(target, 'main.js'), 0o755);

/** Returns the module and everything that it imports statically. */
function findLoadedModules(first: string): Set<string> {
  const moduleIds = new Set([first]);
  for (const id of moduleIds) {
    for (const imported of modules.get(id)?.importedIds ?? []) moduleIds.add(imported);
  }
  return moduleIds;
}

/** Refuses helper packages added by the bundler, because they are not installed. @throws Error that lists them */
function assertKnownPackages(imported: readonly string[]): void {
  const dependencyNames = new Set(Object.keys(manifest.dependencies));
  const packages = imported.filter(
    (id) => /^[^./]/.test(id) && !isBuiltin(id) && !id.endsWith('.js'),
  );
  const names = packages.map((id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/'));
  const unknownPackages = names.filter((name) => !dependencyNames.has(name));
  if (unknownPackages.length > 0)
    throw new Error(
      `The bundle imports packages that are not dependencies: ${unknownPackages.join(', ')}`,
    );
}
