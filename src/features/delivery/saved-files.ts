// Saves delivered files that other files of the same call replace, for example because two assets swap their names.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { openConnector } from '../../connectors/index.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { foldPath } from '../../language/naming/naming.ts';
import { copyFile, type ExistingFile } from './existing-files.ts';
import { existingFilesOf, type PlannedFile } from './planned-file.ts';

/**
 * Runs `task` with the files, after copying to this machine what they need of each other's paths. A file that cannot be
 * copied is downloaded from the platform again.
 */
export async function withSavedFiles<Result>(
  files: readonly PlannedFile[],
  connector: Connector,
  context: NodeContext,
  task: (files: readonly PlannedFile[]) => Promise<Result>,
): Promise<Result> {
  const ownerByPath = new Map(
    files.flatMap((file) => pathsOf(file).map((path) => [path, file] as const)),
  );
  const isReplaced = (file: PlannedFile, { file: { path }, ...existing }: ExistingFile) => {
    const owner = ownerByPath.get(foldPath(path));
    return existing.connector === connector && owner !== undefined && owner !== file;
  };
  const replaced = files.flatMap((file) =>
    existingFilesOf(file).filter((existing) => isReplaced(file, existing)),
  );
  if (replaced.length === 0) return task(files);
  const folder = await mkdtemp(join(tmpdir(), 'renderline-saved-'));
  const saved = openConnector({ type: 'local', path: folder });
  const save = async (existing: ExistingFile): Promise<ExistingFile> => {
    const { path } = existing.file;
    const target = { path, connector: saved, inspect: async () => ({ width: 0, height: 0 }) };
    try {
      const isSaved = await context.transfers.run(() => copyFile(existing, target, context));
      return isSaved ? { ...existing, connector: saved } : existing;
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof ConnectorError)) throw error;
      return existing;
    }
  };
  try {
    const savedFiles = new Map(
      await Promise.all(replaced.map(async (file) => [file, await save(file)] as const)),
    );
    const useSaved = (existing: ExistingFile) => savedFiles.get(existing) ?? existing;
    return await task(
      files.map((file) => ({
        ...file,
        existingFiles: file.existingFiles.map(useSaved),
        images: file.images.map((image) => ({
          ...image,
          existingFiles: image.existingFiles.map(useSaved),
        })),
      })),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pathsOf({ path, deliversOriginal, images }: PlannedFile): string[] {
  return [...(deliversOriginal ? [path] : []), ...images.map((image) => image.path)].map(foldPath);
}
