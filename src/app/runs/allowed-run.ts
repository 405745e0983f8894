// Reads a run for commands that may be restricted to allowed folders.
import type { Client } from '@temporalio/client';
import { type FolderBounds, refuseRunOutside } from '../allowed-folders.ts';
import { type RunSnapshot, readSnapshot } from './run-snapshot.ts';

/** @throws RenderlineError if the run does not exist, or if its records are outside the allowed folders */
export async function readAllowedRun(
  bounds: FolderBounds,
  client: Client,
  run: string,
): Promise<RunSnapshot> {
  const snapshot = await readSnapshot(client, run);
  await refuseRunOutside(bounds, snapshot);
  return snapshot;
}
