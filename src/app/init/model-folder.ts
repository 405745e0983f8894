// Lists a folder of models, in enough detail to write a pipeline for it.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { Slot } from '../../compile/starters/index.ts';
import { isSlotMatch } from '../../features/slots/swap-rule.ts';
import { inspectModelFile } from '../../glb/inspect-model.ts';

export interface ModelFolder {
  /** Paths of the models, relative to the folder, with `/`, sorted. */
  models: readonly string[];
  /** True if the folder contains more entries than were read. */
  hasMore: boolean;
}

const modelTypes = new Set(['.glb', '.gltf', '.fbx', '.obj', '.usdz']);
const skippedFolders = new Set(['node_modules']);
/** Maximum number of entries to read, because a folder chosen by mistake may contain a million files. */
const maxEntries = 20_000;
/** Limits of a guess: the number of folders that are read, and the number of entries in each folder. */
const guessLimits = { folders: 50, entries: 2_000 };
/** Number of models whose slots are read for the first table. */
const maxInspectedModels = 100;

/**
 * Lists the models in a folder and its subfolders. Stops after `maxCount` entries. Returns none if the folder does not
 * exist. Ignores links.
 */
export async function listModels(folder: string, maxCount = maxEntries): Promise<ModelFolder> {
  const models: string[] = [];
  const pendingFolders = [folder];
  let entryCount = 0;
  for (let next = pendingFolders.shift(); next !== undefined; next = pendingFolders.shift()) {
    for (const entry of await readEntries(next)) {
      entryCount += 1;
      if (entryCount > maxCount) return { models: models.sort(), hasMore: true };
      const path = join(next, entry.name);
      if (entry.isDirectory()) pendingFolders.push(path);
      else if (isModelFile(entry)) models.push(relative(folder, path));
    }
  }
  return { models: models.sort(), hasMore: false };
}

/** Guesses the folder in `parent` with the most models, or `.` if `parent` itself has any. Null if there are none. */
export async function guessFolder(parent: string): Promise<string | null> {
  const entries = await readEntries(parent);
  if (entries.some(isModelFile)) return '.';
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  let best: { name: string | null; count: number } = { name: null, count: 0 };
  for (const name of folders.slice(0, guessLimits.folders)) {
    const count = (await listModels(join(parent, name), guessLimits.entries)).models.length;
    if (count > best.count) best = { name, count };
  }
  return best.name;
}

/**
 * Reads the first uniquely named slot of each of the first models. Slots that share a name are skipped, because a table
 * could not tell them apart.
 * @returns the slots, and in `shared` the paths of models whose named slots a table cannot tell apart
 */
export async function readFirstSlots(
  folder: string,
  models: readonly string[],
): Promise<{ slots: Slot[]; shared: string[] }> {
  const slots: Slot[] = [];
  const ambiguousModels: string[] = [];
  for (const path of models.slice(0, maxInspectedModels)) {
    const { materials } = await inspectModelFile(join(folder, path));
    const names = materials.flatMap((name) => (name?.trim() ? name : []));
    // Tables are read without spaces around values, so names with leading or trailing spaces cannot be matched.
    const isUnique = (matchText: string) =>
      matchText === matchText.normalize('NFC').trim() &&
      names.filter((name) => isSlotMatch({ matchText, matchMode: 'exact' }, name)).length === 1;
    const slot = names.find((name) => isUnique(name));
    if (slot !== undefined) slots.push({ key: path.slice(0, -extname(path).length), slot });
    else if (names.length > 0) ambiguousModels.push(path);
  }
  return { slots, shared: ambiguousModels };
}

/** Returns the names of the first-level subfolders that contain models, at any depth. */
export function topFoldersOf({ models }: ModelFolder): string[] {
  const names = models.flatMap((path) => (path.includes('/') ? [path.split('/', 1)[0] ?? ''] : []));
  return [...new Set(names)];
}

function isModelFile(entry: Dirent): boolean {
  return entry.isFile() && modelTypes.has(extname(entry.name).toLowerCase());
}

/** Returns the sorted entries except hidden ones and `node_modules`. None if the folder is missing or unreadable. */
async function readEntries(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => !name.startsWith('.') && !skippedFolders.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
