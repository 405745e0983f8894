import { rmSync } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, StagedFile, TransferOptions } from './connector.ts';
import { ConnectorError, errnoOf, toConnectorError } from './connector-error.ts';
import { TempFile } from './disk/temp-file.ts';
import { diskNowMs, isLeftoverFile, reserveTempName } from './disk/temp-names.ts';

/** A complete staged file. `pieces` may be called again for a retry. Its errors are those of the staging folder. */
export type FilledFile = Pick<TempFile, 'pieces'> & { bytes: number };

/** Sends a staged file to its destination and returns the entry there. */
export type Deliver = (file: FilledFile, options: TransferOptions) => Promise<Entry>;

/**
 * Each process creates a private folder of its own, because in a shared folder another user could replace our file. The
 * name identifies the process, so that leftovers of ended processes can be recognized.
 */
const folderPrefix = 'renderline-staged';
const folder = join(tmpdir(), folderPrefix + reserveTempName());
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Stages a file on this machine. `commit` sends it using `deliver`. */
export async function stageLocally(path: string, deliver: Deliver): Promise<StagedFile> {
  // Errors here concern this machine's disk, not the destination.
  const convertError = (error: unknown) =>
    toConnectorError(error, 'write', folder, 'the staging folder (TMPDIR)');
  const temp = await prepareStagingFolder()
    .then(() => TempFile.create({ folder }, convertError))
    .catch((error: unknown) => {
      throw convertError(error);
    });
  return {
    file: temp.path,
    write: (chunk) => temp.write(chunk),
    discard: () => temp.remove(),
    async commit(options = {}) {
      const bytes = await temp.bytes();
      const entry = await deliver({ bytes, pieces: () => temp.pieces() }, options);
      if (entry.bytes !== bytes) {
        throw new ConnectorError(
          'UNWRITABLE',
          path,
          `"${path}" has ${entry.bytes} bytes at its destination, but ${bytes} bytes were sent`,
          'make sure that nobody else writes to the destination, then resume the run',
        );
      }
      await temp.remove();
      return entry;
    },
  };
}

/** Creates the staging folder. @throws if its name is taken by something that belongs to another user */
async function prepareStagingFolder(): Promise<void> {
  const isNew = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    (error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error;
      return false;
    },
  );
  if (isNew) return removeLeftovers(diskNowMs((await lstat(folder)).mtimeMs));
  if (await isOwnFolder(folder)) return;
  throw new Error(`the staging folder ${folder} belongs to another user; delete the folder`);
}

/** Deletes staging folders that killed processes have left behind. */
async function removeLeftovers(nowMs: number): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(folderPrefix)) continue;
    const path = join(tmpdir(), name);
    const info = await lstat(path).catch(() => null);
    if (!info || !isLeftoverFile(name.slice(folderPrefix.length), info.mtimeMs, nowMs)) continue;
    // Errors are ignored, because a leftover that cannot be deleted does not block new files.
    if (await isOwnFolder(path))
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** True for a folder of this user that is not a link. */
async function isOwnFolder(path: string): Promise<boolean> {
  const info = await lstat(path);
  return info.isDirectory() && info.uid === (process.getuid?.() ?? info.uid);
}
