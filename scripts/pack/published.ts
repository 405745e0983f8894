// What of a package is published: its manifest without what only a clone has, and the files that it was made of.
import { existsSync } from 'node:fs';
import { relative } from 'node:path';

type Versions = Readonly<Record<string, string>>;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies: Versions;
  readonly [field: string]: unknown;
}

const program = 'renderline';
const sandbox = '@renderline/sandbox';
const sourceCondition = 'renderline-source';
/** Fields for work on the packages; `private` keeps a clone from being published as it is. */
const ofClones = new Set(['private', 'workspaces', 'scripts', 'devDependencies']);

/**
 * The manifest that is published. The two packages are of one version and name each other by it: the program takes the
 * sandbox along where it can, and the sandbox stands beside the program that it was made with.
 */
export function published(manifest: Manifest): Record<string, unknown> {
  const { name, version } = manifest;
  const { [program]: own, ...dependencies } = manifest.dependencies;
  const kept = Object.entries(manifest).filter(([field]) => !ofClones.has(field));
  return {
    ...Object.fromEntries(kept),
    exports: Object.fromEntries(
      Object.entries(manifest.exports).map(([path, { [sourceCondition]: _source, ...rest }]) => [
        path,
        rest,
      ]),
    ),
    dependencies,
    ...(own === undefined ? {} : { peerDependencies: { [program]: version } }),
    ...(name === program ? { optionalDependencies: { [sandbox]: version } } : {}),
  };
}

/** Source maps lead to sources that are not shipped; what was compiled from a file that is gone now is left over. */
export function isShipped(folder: string, path: string): boolean {
  if (path.endsWith('.map') || path.endsWith('.tsbuildinfo')) return false;
  // Bundled anew with each build.
  if (relative(folder, path).startsWith('dist/program/')) return true;
  const compiled = /^(?<stem>dist\/.*?)(?:\.d)?\.[jt]s$/.exec(relative(folder, path));
  const stem = compiled?.groups?.['stem'];
  if (stem === undefined || stem === 'dist/workflow-bundle') return true;
  return [stem, stem.replace(/^dist\//, 'src/'), stem.replace(/^dist\//, '')].some((one) =>
    existsSync(`${folder}/${one}.ts`),
  );
}
