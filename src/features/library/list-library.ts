import { setImmediate as turn } from 'node:timers/promises';
import { textureFileTypes } from '../../api/operations/materials.ts';
import type { Entry } from '../../connectors/connector.ts';
import { findFileType } from '../../engine/uploads/upload-names.ts';
import type { FailureReason } from '../../failures/fail.ts';
import { inspectionFailures } from '../../failures/files.ts';
import { type TakenNames, takeFreeName } from '../../language/naming/free-name.ts';
import type { AssetSource, Failure } from '../../plan/types.ts';
import { sourceFailure, toUnkeyedFile } from '../../store/discovery/asset-keys.ts';
import {
  createFileFilter,
  createFilterWithSideFiles,
  type FileFilterConfig,
} from '../../store/discovery/file-filter.ts';
import {
  computeSha256,
  type FileListerInput,
  listEntries,
} from '../../store/discovery/list-files.ts';
import type { ListedSource, ListedSources, Lister } from '../../store/discovery/listed-source.ts';
import { splitStableFiles } from '../../store/discovery/stable-files.ts';
import { setPaths, setSha256, setSource, sourcePathsOf } from '../../store/records/source-set.ts';
import { sourceOf } from '../../store/records/source-version.ts';
import { type ImportPlan, planImportInSteps } from '../../textures/plan-import.ts';
import { udimTilesOf } from '../../textures/udim-tiles.ts';
import { libraryFailures } from './failures.ts';
import { findDecalType } from './library-kinds.ts';

export interface LibraryFiles {
  /** Filters by kind of item. Files of absent kinds are ignored. */
  props?: FileFilterConfig | undefined;
  decals?: FileFilterConfig | undefined;
  materials?: (FileFilterConfig & { unmatchedAsDiffuse: boolean }) | undefined;
}

/** Number of sets between two yields to the event loop. They take a few hundredths of a second. */
const setsPerStep = 500;

interface LibraryListerInput extends Omit<FileListerInput, 'config'> {
  config: LibraryFiles & { stableForMs: number };
}

export function createLibraryLister(input: LibraryListerInput): Lister {
  const { connector, config, now, wait } = input;
  const entries = new Map<string, Entry>();
  return {
    list: (signal) => listLibrary(input, entries, signal),
    async splitStable(sources, signal) {
      const files = sources.flatMap((source) =>
        sourcePathsOf(source).flatMap((path) => entries.get(path) ?? []),
      );
      const { stableForMs } = config;
      const entryFieldsOf = (entry: Entry) => entry;
      const options = { connector, stableForMs, now, entryFieldsOf, wait, signal };
      const splitFiles = await splitStableFiles(files, options);
      const stable = new Set(splitFiles.stable.map(({ path }) => path));
      // All files of a set must be stable, because a mix of old and new files would be a set that never existed.
      const isStable = (source: AssetSource) =>
        sourcePathsOf(source).every((path) => stable.has(path));
      const laterPaths = new Set(splitFiles.later);
      // A deleted single file is dropped. A set that lost a file is left for the next run, which finds another set.
      const unstable = sources.filter(
        (source) => !isStable(source) && (source.set !== undefined || laterPaths.has(source.path)),
      );
      return { stable: sources.filter(isStable), later: unstable.map(({ path }) => path) };
    },
    async hash(source, signal) {
      const { path, set } = source;
      if (set === undefined) return computeSha256(connector, path, signal);
      const hashes: Record<string, string> = {};
      for (const [channel, file] of setPaths(source, set)) {
        hashes[channel] = await computeSha256(connector, file, signal);
      }
      return setSha256(hashes);
    },
  };
}

/** @param entryByPath filled with the listed files by path */
async function listLibrary(
  { connector, config, node }: LibraryListerInput,
  entryByPath: Map<string, Entry>,
  signal: AbortSignal | undefined,
): Promise<ListedSources> {
  const sort = createSorter(config);
  const takes = createPathFilter(config);
  const { entries, refused } = await listEntries({ connector, takes, node }, signal);
  entryByPath.clear();
  for (const entry of entries) entryByPath.set(entry.path, entry);
  const textures: string[] = [];
  const sources: ListedSource[] = [];
  const grouping = { props: 0, decals: 0 };
  for (const entry of entries) {
    const kind = sort(entry.path);
    if (kind === 'materials') textures.push(entry.path);
    else {
      if (kind !== null) grouping[kind] += 1;
      sources.push({ unkeyed: toUnkeyedFile(entry.path), source: sourceOf(entry) });
    }
  }
  const unmatchedAsDiffuse = config.materials?.unmatchedAsDiffuse ?? false;
  const plan = await runInSteps(planImportInSteps(textures, { unmatchedAsDiffuse }), signal);
  const sets = await runInSteps(listTextureSets(plan, entryByPath, node), signal);
  return {
    sources: [...sources, ...sets.found],
    failures: [...refused, ...sets.refused],
    grouping: { ...grouping, textures: plan, tiles: udimTilesOf(plan) },
  };
}

/** Yields to the event loop between steps, because grouping many names at once would block heartbeats. */
async function runInSteps<T>(
  steps: Generator<undefined, T, undefined>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await turn();
    signal?.throwIfAborted();
  }
}

/** Returns a filter for the paths that any kind accepts. */
export function createPathFilter(files: LibraryFiles): (path: string) => boolean {
  const sort = createSorter(files);
  return (path) => sort(path) !== null;
}

/** Returns a function that maps a path to its kind, or to null. A picture that `decals` matches is not a texture. */
function createSorter({ props, decals, materials }: LibraryFiles) {
  const never = () => false;
  const takes = {
    decals: decals ? createFilterWithSideFiles(decals) : never,
    materials: materials ? createFilterWithSideFiles(materials) : never,
    props: props ? createFileFilter(props) : never,
  };
  return (path: string): 'props' | 'decals' | 'materials' | null => {
    if (takes.decals(path) && findDecalType(path)) return 'decals';
    if (takes.props(path) && !findDecalType(path)) return 'props';
    return takes.materials(path) ? 'materials' : null;
  };
}

function* listTextureSets(
  { materials }: ImportPlan,
  entryByPath: ReadonlyMap<string, Entry>,
  node: string,
): Generator<undefined, { found: ListedSource[]; refused: Failure[] }, undefined> {
  const sources: ListedSource[] = [];
  const failures: Failure[] = [];
  const takenNames: TakenNames = new Map();
  for (const [index, { name, textures }] of materials.entries()) {
    if (index % setsPerStep === setsPerStep - 1) yield;
    const files = Object.entries(textures).flatMap(([channel, path]) => {
      const entry = entryByPath.get(path);
      return entry ? [[channel, entry] as const] : [];
    });
    const folder = findCommonFolder(files.map(([, { path }]) => path));
    const path = takeFreeName(folder + name.slice(name.lastIndexOf('/') + 1), takenNames);
    const problem = findSetProblem(files);
    if (problem) failures.push(sourceFailure(problem.failure, path, node, problem.message));
    else {
      const source = setSource(path, name, Object.fromEntries(files));
      const shortKey = path.normalize('NFC');
      // The long key has a suffix, because a prop or a decal may have the same name as a material in the same folder.
      const longKey = `${shortKey}.material`;
      sources.push({ unkeyed: { id: path, label: path, shortKey, longKey }, source });
    }
  }
  return { found: sources, refused: failures };
}

/** Returns why a set cannot become a material, or null if it can. Unusable textures are reported, not dropped. */
function findSetProblem(files: readonly (readonly [string, Entry])[]): FailureReason | null {
  const formatFiles = (wrong: typeof files) =>
    wrong.map(([channel, { path }]) => `${channel} is ${path}`).join(', ');
  const types: readonly string[] = textureFileTypes;
  const other = files.filter(([, { path }]) => !types.includes(findFileType(path) ?? ''));
  if (other.length > 0) {
    const message = `${formatFiles(other)}; the platform accepts only ${textureFileTypes.join(', ')}`;
    return { failure: libraryFailures.TEXTURE_TYPE, message };
  }
  const empty = files.filter(([, { bytes }]) => bytes === 0);
  if (empty.length === 0) return null;
  return {
    failure: inspectionFailures.EMPTY_FILE,
    message: `${formatFiles(empty)}, which ${empty.length === 1 ? 'is' : 'are'} empty`,
  };
}

/** Returns the deepest folder that contains all paths, with a trailing slash. Returns an empty string for the root. */
function findCommonFolder(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  let folder = first.slice(0, first.lastIndexOf('/') + 1);
  while (!others.every((path) => path.startsWith(folder))) {
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  }
  return folder;
}
