// What lies in a folder of models: enough to write a pipeline for it, without reading all of it.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { matchesSlot } from '../../capabilities/variants/matches-slot.ts';
import type { Slot } from '../../compile/starters/index.ts';
import { lookAtModel } from '../../glb/look.ts';

export interface ModelFolder {
  /** Paths of models below the folder, with `/`, sorted. */
  models: readonly string[];
  /** More were there than were listed. */
  hasMore: boolean;
}

const modelTypes = new Set(['.glb', '.gltf', '.fbx', '.obj', '.usdz']);
const skipped = new Set(['node_modules']);
/** Enough to know what is there; a wrong folder may hold a million files. */
const mostEntries = 20_000;
/** Folders, and entries of each, that are looked into for a guess. */
const guesses = { folders: 50, entries: 2_000 };
/** Models whose slots are read for a first table. */
const mostLooks = 100;

/** Lists the models below a folder; one that is not there holds none. Links are not followed. */
export async function listModels(folder: string, most = mostEntries): Promise<ModelFolder> {
  const models: string[] = [];
  const open = [folder];
  let seen = 0;
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const entry of await entriesOf(next)) {
      seen += 1;
      if (seen > most) return { models: models.sort(), hasMore: true };
      const path = join(next, entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (isModel(entry)) models.push(relative(folder, path));
    }
  }
  return { models: models.sort(), hasMore: false };
}

/** The folder inside `place` that most likely holds the models: its own name, or `.`; null where none does. */
export async function guessFolder(place: string): Promise<string | null> {
  const entries = await entriesOf(place);
  if (entries.some(isModel)) return '.';
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  let best: { name: string; count: number } | null = null;
  for (const name of folders.slice(0, guesses.folders)) {
    const count = (await listModels(join(place, name), guesses.entries)).models.length;
    if (count > (best?.count ?? 0)) best = { name, count };
  }
  return best?.name ?? null;
}

/**
 * The first slot of each of the first models whose files name their materials: one whose name no other slot of the model
 * has, since nobody can tell which of several is meant.
 * @returns also the paths of models all of whose slots share their names
 */
export async function firstSlots(
  folder: string,
  models: readonly string[],
): Promise<{ slots: Slot[]; shared: string[] }> {
  const slots: Slot[] = [];
  const shared: string[] = [];
  for (const path of models.slice(0, mostLooks)) {
    const { materials } = await lookAtModel(join(folder, path));
    const names = materials.filter((name) => name !== null).filter((name) => name.trim() !== '');
    // A table is read without spaces around its values.
    const isOne = (matchText: string) =>
      matchText === matchText.normalize('NFC').trim() &&
      names.filter((name) => matchesSlot({ matchText, matchMode: 'exact' }, name)).length === 1;
    const slot = names.find((name) => isOne(name));
    if (slot !== undefined) slots.push({ key: path.slice(0, -extname(path).length), slot });
    else if (names.length > 0) shared.push(path);
  }
  return { slots, shared };
}

/** Folders with models directly inside the folder, sorted. */
export function topFolders({ models }: ModelFolder): string[] {
  const names = models.flatMap((path) => (path.includes('/') ? [path.split('/', 1)[0] ?? ''] : []));
  return [...new Set(names)];
}

/** "12 models in 3 folders". */
export function inWords(found: ModelFolder): string {
  const { length } = found.models;
  const count = `${found.hasMore ? 'more than ' : ''}${length} ${length === 1 ? 'model' : 'models'}`;
  const folders = topFolders(found).length;
  return folders > 1 ? `${count} in ${folders} folders` : count;
}

function isModel(entry: Dirent): boolean {
  return entry.isFile() && modelTypes.has(extname(entry.name).toLowerCase());
}

/** Sorted, without hidden ones; none where the folder is not there or may not be read. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => !name.startsWith('.') && !skipped.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
