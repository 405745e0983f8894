// What a run has paid for, as its records tell.
import { readPaid } from '../../capabilities/paid-work.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import type { Paid } from '../../plan/paid.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { storeOfRun } from './run-store-of.ts';

/** Null where the records cannot be read here. */
export async function paidOf(snapshot: RunSnapshot): Promise<Paid | null> {
  if (snapshot.memo === null) return null;
  try {
    const store = storeOfRun(snapshot);
    const settled: SettledAsset[] = [];
    for await (const asset of store.readResults(snapshot.run)) settled.push(asset);
    return await readPaid(store, settled, snapshot.status !== 'running');
  } catch {
    return null;
  }
}
