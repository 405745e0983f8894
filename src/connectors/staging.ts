// Files that are filled here before they go to a place that is not a folder of this machine.
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, Staged, TransferOptions } from './connector.ts';
import { ConnectorError, toConnectorError } from './connector-error.ts';
import { TempFile } from './temp-file.ts';
import { LeftoverLooks, removeLeftovers } from './temp-files.ts';

/** A filled file on its way: `pieces` may be asked for again, and fail in words of their own. */
export type FilledFile = Pick<TempFile, 'pieces'> & { bytes: number };

/** Brings a filled file to its place and says what is there then. */
export type Deliver = (file: FilledFile, options: TransferOptions) => Promise<Entry>;

const leftovers = new LeftoverLooks(10_000);

/** A temporary file of this machine that `deliver` brings to `path` when it is committed. */
export async function stageLocally(path: string, deliver: Deliver): Promise<Staged> {
  const folder = join(tmpdir(), 'renderline-staged');
  // The disk of this machine is full or broken then, not the place that the file is for.
  const named = (error: unknown) =>
    toConnectorError(error, 'write', path, `staging folder ${folder} (TMPDIR)`);
  const temp = await makeTemp(folder, named).catch((error: unknown) => {
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

async function makeTemp(folder: string, named: (error: unknown) => unknown): Promise<TempFile> {
  // Outputs may be confidential; other users of the machine do not see them.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (leftovers.isDue(folder)) await removeLeftovers(folder, Date.now());
  return TempFile.create(folder, named);
}
