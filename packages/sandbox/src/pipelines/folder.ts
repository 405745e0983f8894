// Lists the files of a connected folder and detects those that are completely written.
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { SourceFile } from '../state/pipeline-records.ts';

export interface FolderFile extends SourceFile {
  /** Epoch milliseconds of the last change. */
  readonly modifiedAt: number;
}

/** A file that is unchanged for this long counts as complete. */
export const stableMs = 1_000;

const modelTypes = new Set(
  '3dm 3ds 3mf abc blend c4d dae fbx glb gltf iges igs max obj ply skp step stl stp usd usda usdc usdz'.split(
    ' ',
  ),
);

export function fileTypeOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

/** Lists the 3D files below a folder by path, without hidden files and links. Rejects if the folder is unreadable. */
export async function listFiles(folder: string): Promise<FolderFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files: FolderFile[] = [];
  for (const entry of entries) {
    if (!entry.isFile() || !modelTypes.has(fileTypeOf(entry.name))) continue;
    const absolute = join(entry.parentPath, entry.name);
    const path = relative(folder, absolute).split(sep).join('/');
    if (path.split('/').some((part) => part.startsWith('.'))) continue;
    // The file may have been deleted since the folder was listed.
    const stats = await stat(absolute).catch(() => undefined);
    if (stats) {
      files.push({ name: entry.name, path, size: stats.size, modifiedAt: stats.mtimeMs });
    }
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Tracks since when each file of a folder is unchanged. */
export class StableFileTracker {
  #filesByPath = new Map<string, FolderFile & { readonly since: number }>();

  /** Returns the files that have been unchanged for `stableMs`. */
  stableFiles(files: readonly FolderFile[], nowMs: number): FolderFile[] {
    const filesByPath = new Map<string, FolderFile & { readonly since: number }>();
    for (const file of files) {
      const previousFile = this.#filesByPath.get(file.path);
      const isUnchanged =
        previousFile?.size === file.size && previousFile.modifiedAt === file.modifiedAt;
      filesByPath.set(file.path, { ...file, since: isUnchanged ? previousFile.since : nowMs });
    }
    this.#filesByPath = filesByPath;
    return files.filter((file) => nowMs - (filesByPath.get(file.path)?.since ?? nowMs) >= stableMs);
  }
}
