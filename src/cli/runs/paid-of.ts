// What a run has paid for, as its records tell.
import { readPaidOfRun } from '../../capabilities/paid-work.ts';
import type { Paid } from '../../plan/paid.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { storeOfRun } from './run-store-of.ts';

/** Null where the records cannot be read here. */
export async function paidOf(snapshot: RunSnapshot): Promise<Paid | null> {
  if (snapshot.memo === null) return null;
  try {
    return await readPaidOfRun(storeOfRun(snapshot), snapshot.status !== 'running');
  } catch {
    return null;
  }
}
