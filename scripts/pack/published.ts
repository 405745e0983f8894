// Derives the published contents of a package, that is, its manifest and its files.
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
/** Manifest fields for development. `private` prevents a clone from being published. */
const ofClones = new Set(['private', 'workspaces', 'scripts', 'devDependencies']);

/**
 * Returns the published manifest. Both packages have the same version and depend on each other at exactly this version.
 * The program has the sandbox as an optional dependency, and the sandbox has the program as a peer.
 */
export function publishedManifestOf(manifest: Manifest): Record<string, unknown> {
  const { name, version } = manifest;
  const { [program]: programVersion, ...dependencies } = manifest.dependencies;
  const shippedFields = Object.entries(manifest).filter(([field]) => !ofClones.has(field));
  return {
    ...Object.fromEntries(shippedFields),
    exports: Object.fromEntries(
      Object.entries(manifest.exports).map(([path, { [sourceCondition]: _source, ...rest }]) => [
        path,
        rest,
      ]),
    ),
    dependencies,
    ...(programVersion === undefined ? {} : { peerDependencies: { [program]: version } }),
    ...(name === program ? { optionalDependencies: { [sandbox]: version } } : {}),
  };
}

/** False for source maps, whose sources are not shipped, for build information, and for outputs of deleted sources. */
export function isShipped(folder: string, path: string): boolean {
  if (path.endsWith('.map') || path.endsWith('.tsbuildinfo')) return false;
  // Bundles are rebuilt with each build.
  if (relative(folder, path).startsWith('dist/program/')) return true;
  const match = /^(?<stem>dist\/.*?)(?:\.d)?\.[jt]s$/.exec(relative(folder, path));
  const stem = match?.groups?.['stem'];
  if (stem === undefined || stem === 'dist/workflow-bundle') return true;
  return [stem, stem.replace(/^dist\//, 'src/'), stem.replace(/^dist\//, '')].some((sourceStem) =>
    existsSync(`${folder}/${sourceStem}.ts`),
  );
}
