// Detects that the records of a run are missing here. Without them, the run seems to have neither assets nor failures.
import type { Client } from '@temporalio/client';
import { storageFailures } from '../../failures/storage.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { locationOf } from '../../plan/run/location.ts';
import { RenderlineError } from '../renderline-error.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readRunDetails } from '../runs/run-details.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';

/** @throws RenderlineError if Temporal knows that the run has discovered assets, but the records do not contain them */
export async function assertRunAssetsFound(
  client: Client,
  snapshot: RunSnapshot,
  nowMs: number,
): Promise<void> {
  const { run, memo } = snapshot;
  if ((await openStoreOfRun(snapshot).runAssets.readDiscovery()) !== null) return;
  const { total } = (await readRunDetails(client, snapshot, nowMs)).shape.assets;
  if (total === 0) return;
  const location = memo === null ? null : locationOf(memo.records);
  throw new RenderlineError(
    storageFailures.RECORDS_UNREADABLE,
    `The run ${run} has ${formatCount(total, 'asset')}, but its records are not in ${location ?? 'their place'} on this machine: they were removed, or are on another machine.`,
    { fix: 'Run the command where the records are, or mount their folder here.', details: { run } },
  );
}
