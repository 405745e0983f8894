// Files that are filled here before they go to a place that is not a folder of this machine.
import { mkdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, Staged, TransferOptions } from './connector.ts';
import { ConnectorError } from './connector-error.ts';
import { removeLeftovers, tempName } from './temp-files.ts';

/** Brings a filled local file to its place and says what is there then. */
export type Deliver = (file: string, bytes: number, options: TransferOptions) => Promise<Entry>;

let cleaned: Promise<unknown> | undefined;

/** A temporary file of this machine that `deliver` brings to `path` when it is committed. */
export async function stageLocally(path: string, deliver: Deliver): Promise<Staged> {
  const folder = join(tmpdir(), 'renderline-staged');
  // Outputs may be confidential; other users of the machine do not see them.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  cleaned ??= removeLeftovers(folder, Date.now());
  await cleaned;
  const file = join(folder, tempName());
  const discard = () => rm(file, { force: true });
  return {
    file,
    discard,
    async commit(options = {}) {
      const { size } = await stat(file);
      const entry = await deliver(file, size, options);
      if (entry.bytes !== size) {
        throw new ConnectorError(
          'UNWRITABLE',
          path,
          `"${path}" has ${entry.bytes} bytes where it was written, and ${size} were sent`,
          'check the place, and that nobody else writes there; then resume the run',
        );
      }
      await discard();
      return entry;
    },
  };
}
