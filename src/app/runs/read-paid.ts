// Reads from its records what a run has paid for.
import { readPaidWorkOfRun } from '../../features/paid-work.ts';
import type { Paid } from '../../plan/run/paid.ts';
import { openStoreOfRun } from './open-run-store.ts';
import type { RunSnapshot } from './run-snapshot.ts';

/** Returns null if the records cannot be read here. */
export async function readPaidOrNull(snapshot: RunSnapshot): Promise<Paid | null> {
  if (snapshot.memo === null) return null;
  try {
    return await readPaidWorkOfRun(openStoreOfRun(snapshot), snapshot.status !== 'running');
  } catch {
    return null;
  }
}
