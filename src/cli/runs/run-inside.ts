// Reads a run for a command that a program may ask for.
import type { Client } from '@temporalio/client';
import { refuseRunOutside } from '../inside-folders.ts';
import type { Io } from '../io.ts';
import { type RunSnapshot, readSnapshot } from './run-snapshot.ts';

/** @throws CliError when there is no run of that name, or its records lie outside the folders that the command is bound to */
export async function readRunInside(
  io: Pick<Io, 'cwd' | 'folders'>,
  client: Client,
  run: string,
): Promise<RunSnapshot> {
  const snapshot = await readSnapshot(client, run);
  await refuseRunOutside(io, snapshot);
  return snapshot;
}
