// Walks a folder and its subfolders. Folders are read one at a time, so that a huge tree needs little memory.
import type { ListOptions } from '../connector.ts';
import { EntryWindow } from './name-order.ts';

export interface FolderEntry {
  /** Path relative to the connector's root. */
  path: string;
  isFolder: boolean;
}

/** Yields the files below `start` that `accept` wants. @param read yields the entries of a folder, in any order */
export async function* walkFolders<Entry extends FolderEntry>(
  read: (folder: string) => AsyncIterable<Entry>,
  start: string,
  options: ListOptions,
): AsyncGenerator<Entry> {
  const { signal, accept, after } = options;
  if (after !== undefined) {
    yield* walkInOrder(read, start, { ...options, after });
    return;
  }
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    for await (const entry of read(folder)) {
      if (entry.isFolder) folders.push(entry.path);
      else if (accept?.(entry.path) ?? true) yield entry;
    }
  }
}

/** Sorts the files and subfolders of a folder together, because `a-b` comes before `a/b`. */
async function* walkInOrder<Entry extends FolderEntry>(
  read: (folder: string) => AsyncIterable<Entry>,
  folder: string,
  options: ListOptions & { after: string },
): AsyncGenerator<Entry> {
  const { signal, accept, after } = options;
  for (let lastTakenPath = '', isCut = true; isCut; ) {
    signal?.throwIfAborted();
    const window = new EntryWindow<{ entry: Entry; orderPath: string }>(after, lastTakenPath);
    for await (const entry of read(folder)) {
      const orderPath = entry.isFolder ? `${entry.path}/` : entry.path;
      if (!window.isPending(orderPath)) continue;
      if (entry.isFolder || (accept?.(entry.path) ?? true)) window.add({ entry, orderPath });
    }
    const selection = window.finish();
    for (const { entry } of selection.items) {
      if (entry.isFolder) yield* walkInOrder(read, entry.path, options);
      else yield entry;
    }
    isCut = selection.isCut;
    lastTakenPath = selection.items.at(-1)?.orderPath ?? '';
  }
}
