// Reads a run for commands that may be restricted to allowed folders.
import type { Client } from '@temporalio/client';
import { refuseRunOutside } from '../allowed-folders.ts';
import type { Io } from '../io.ts';
import { type RunSnapshot, readSnapshot } from './run-snapshot.ts';

/** @throws CliError if the run does not exist, or if its records are outside the allowed folders */
export async function readAllowedRun(
  io: Pick<Io, 'cwd' | 'folders'>,
  client: Client,
  run: string,
): Promise<RunSnapshot> {
  const snapshot = await readSnapshot(client, run);
  await refuseRunOutside(io, snapshot);
  return snapshot;
}
