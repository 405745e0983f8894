import { groupBy } from '../../plan/helpers/group-by.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { decodeKey } from '../objects/object-name.ts';
import { findRunAssetsPages } from './run-assets-heads.ts';

/** An object of a shard, by its path below the pipeline's folder. */
export interface ShardObject {
  path: string;
  shard: number;
  /** Step of a call. Null for pages of results and of run assets. */
  step: string | null;
}

export interface RunFolder {
  run: string;
  results: ShardObject[];
  intents: ShardObject[];
  runAssets: ShardObject[];
}

/** Reads all runs with run assets, newest first as far as the store knows times. */
export async function readRunFolders(
  objects: JsonObjects,
  options: { maxConcurrent: number; signal: AbortSignal },
): Promise<RunFolder[]> {
  const names = await objects.names('runs', options.signal);
  const byRun = [...groupBy(names, (name) => name.slice(0, name.indexOf('/')))];
  const dated = await mapBounded(
    byRun,
    async ([name, paths]) => {
      const folder = `runs/${name}`;
      const ownPaths = paths.map((path) => path.slice(name.length + 1));
      const [head, atMs] = await Promise.all([
        findRunAssetsPages(objects, folder, ownPaths),
        objects.writtenAtMs(`${folder}/manifest/index.json`),
      ]);
      // A run without run assets has created nothing.
      return head ? [{ atMs: atMs ?? 0, folder: groupPaths(head, paths) }] : [];
    },
    options,
  );
  return dated
    .flat()
    .sort((a, b) => b.atMs - a.atMs)
    .map(({ folder }) => folder);
}

function groupPaths(
  head: { run: string; sets: ReadonlySet<string> },
  paths: readonly string[],
): RunFolder {
  const folder: RunFolder = { run: head.run, results: [], intents: [], runAssets: [] };
  for (const path of paths) {
    const [, part, first = '', second = ''] = path.split('/');
    const object = { path: `runs/${path}`, step: null };
    if (part === 'results') {
      folder.results.push({ ...object, shard: Number.parseInt(first, 10) });
    } else if (part === 'intents') {
      folder.intents.push({ ...object, shard: Number(first), step: decodeKey(second) });
    } else if (part === 'manifest' && head.sets.has(first)) {
      folder.runAssets.push({ ...object, shard: Number.parseInt(second, 10) });
    }
  }
  return folder;
}
