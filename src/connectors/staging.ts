// Files that are filled here before they go to a place that is not a folder of this machine.
import { rmSync } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, Staged, TransferOptions } from './connector.ts';
import { ConnectorError, errnoOf, toConnectorError } from './connector-error.ts';
import { TempFile } from './temp-file.ts';
import { diskNow, isLeftover, tempName } from './temp-files.ts';

/** A filled file on its way: `pieces` may be asked for again, and fail in words of their own. */
export type FilledFile = Pick<TempFile, 'pieces'> & { bytes: number };

/** Brings a filled file to its place and says what is there then. */
export type Deliver = (file: FilledFile, options: TransferOptions) => Promise<Entry>;

/**
 * A folder of each process, made by it and for nobody else: in one that several share, somebody may have put a file of
 * their own in the place of ours. The name tells whose it is, and when it is a leftover.
 */
const prefix = 'renderline-staged';
const folder = join(tmpdir(), prefix + tempName());
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A temporary file of this machine that `deliver` brings to `path` when it is committed. */
export async function stageLocally(path: string, deliver: Deliver): Promise<Staged> {
  // The disk of this machine is full or broken then, not the place that the file is for.
  const named = (error: unknown) =>
    toConnectorError(error, 'write', folder, 'the staging folder (TMPDIR)');
  const temp = await makeTemp(named).catch((error: unknown) => {
    throw named(error);
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
          `"${path}" has ${entry.bytes} bytes where it was written, and ${bytes} were sent`,
          'check the place, and that nobody else writes there; then resume the run',
        );
      }
      await temp.remove();
      return entry;
    },
  };
}

async function makeTemp(named: (error: unknown) => unknown): Promise<TempFile> {
  await makeFolder();
  return TempFile.create({ folder }, named);
}

/** Whatever else has this name is not taken. */
async function makeFolder(): Promise<void> {
  const made = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    (error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error;
      return false;
    },
  );
  if (made) return removeOthers(diskNow((await lstat(folder)).mtimeMs));
  if (await isOwn(folder)) return;
  throw new Error(`${folder} is somebody else's; remove it`);
}

/** Removes files that killed processes have left. */
async function removeOthers(nowMs: number): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const path = join(tmpdir(), name);
    const info = await lstat(path).catch(() => null);
    if (!info || !isLeftover(name.slice(prefix.length), info.mtimeMs, nowMs)) continue;
    // A leftover that cannot be removed does not stand in the way of a new file.
    if (await isOwn(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A folder and no link, of this user. */
async function isOwn(path: string): Promise<boolean> {
  const info = await lstat(path);
  return info.isDirectory() && info.uid === (process.getuid?.() ?? info.uid);
}
