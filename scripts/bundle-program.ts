// Bundles the command line at build time: most of what a short command takes is finding and reading hundreds of
// modules (docs/decisions/049-command-line.md). `dist/src` stays, for exports, workers of threads and tests.
import { chmod, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type InputOptions, type ModuleInfo, rolldown } from 'rolldown';

const manifest: { dependencies: Record<string, string> } = JSON.parse(
  await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
);
const cli = fileURLToPath(new URL('../src/cli/', import.meta.url));
// As deep as `dist/src/temporal`, so that the path from a module to the workflow bundle is the same.
const target = fileURLToPath(new URL('../program/cli/', import.meta.url));

/** Libraries that nearly every command needs and that are cheaper to load as a part of the program. */
const takenIn = /^(zod|yaml|commander|@commander-js\/extra-typings|@marcbachmann\/cel-js)(\/|$)/;

const main = join(cli, 'main.js');
const options: InputOptions = {
  input: { main },
  platform: 'node',
  external: (id) => isBuiltin(id) || (/^[^./]/.test(id) && !takenIn.test(id)),
};

const modules = new Map<string, ModuleInfo>();
const looking = await rolldown({
  ...options,
  plugins: [{ name: 'modules', moduleParsed: (module) => void modules.set(module.id, module) }],
});
await looking.generate();
await looking.close();
const start = loadedBy(join(cli, 'program.js'));
const compile = loadedBy(join(cli, 'compiled-file.js'));

const bundle = await rolldown(options);
const { output } = await bundle.write({
  dir: target,
  cleanDir: true,
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  // One file for what every command loads and one for what all that read pipelines load; `main` stands alone,
  // since it waits for the others.
  codeSplitting: {
    groups: [
      { name: 'start', test: (id) => id !== main && start.has(id), priority: 2 },
      { name: 'compile', test: (id) => compile.has(id), priority: 1 },
    ],
  },
});
await bundle.close();
refuseStrangers(
  output.flatMap((part) => (part.type === 'chunk' ? part.imports.concat(part.dynamicImports) : [])),
);
// `npx renderline` runs this file by its path; npm makes it executable only when it links it for the first time.
await chmod(join(target, 'main.js'), 0o755);

/** The module and all that its static imports lead to. */
function loadedBy(first: string): Set<string> {
  const found = new Set([first]);
  for (const id of found) {
    for (const imported of modules.get(id)?.importedIds ?? []) found.add(imported);
  }
  return found;
}

/** A bundler may add helpers of its own, which are not there once the program is installed. @throws Error that names them */
function refuseStrangers(imported: readonly string[]): void {
  const known = new Set(Object.keys(manifest.dependencies));
  const packages = imported.filter(
    (id) => /^[^./]/.test(id) && !isBuiltin(id) && !id.endsWith('.js'),
  );
  const names = packages.map((id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/'));
  const strangers = names.filter((name) => !known.has(name));
  if (strangers.length > 0)
    throw new Error(`The bundle imports what is no dependency: ${strangers.join(', ')}`);
}
