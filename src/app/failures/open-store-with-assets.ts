// Opens the store of a run whose records are here. Without them, the run seems to have neither assets nor failures.
import type { Client } from '@temporalio/client';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { missingRecordsError, openStoreOfRun } from '../runs/open-run-store.ts';
import { readRunDetails } from '../runs/run-details.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';

/** @throws RenderlineError if Temporal knows that the run has discovered assets, but the records do not contain them */
export async function openStoreWithAssets(
  client: Client,
  snapshot: RunSnapshot,
  nowMs: number,
): Promise<RunStore> {
  const store = openStoreOfRun(snapshot);
  if ((await store.runAssets.readDiscovery()) !== null) return store;
  const { total } = (await readRunDetails(client, snapshot, nowMs)).shape.assets;
  if (total === 0) return store;
  throw missingRecordsError(
    snapshot,
    (location) =>
      `The run ${snapshot.run} has ${formatCount(total, 'asset')}, but its records are not in ${location} on this machine: they were removed, or are on another machine.`,
  );
}
