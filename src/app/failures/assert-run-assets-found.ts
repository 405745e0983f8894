// Detects that the records of a run are missing here. Without them, the run seems to have neither assets nor failures.
import type { Client } from '@temporalio/client';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { missingRecordsError, openStoreOfRun } from '../runs/open-run-store.ts';
import { readRunDetails } from '../runs/run-details.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';

/** @throws RenderlineError if Temporal knows that the run has discovered assets, but the records do not contain them */
export async function assertRunAssetsFound(
  client: Client,
  snapshot: RunSnapshot,
  nowMs: number,
): Promise<void> {
  if ((await openStoreOfRun(snapshot).runAssets.readDiscovery()) !== null) return;
  const { total } = (await readRunDetails(client, snapshot, nowMs)).shape.assets;
  if (total === 0) return;
  throw missingRecordsError(
    snapshot,
    (location) =>
      `The run ${snapshot.run} has ${formatCount(total, 'asset')}, but its records are not in ${location} on this machine: they were removed, or are on another machine.`,
  );
}
