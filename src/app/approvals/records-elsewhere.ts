// Detects that records are on another machine. Without them, no asset of the run seems to await a decision.
import { storageFailures } from '../../failures/storage.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { locationOf } from '../../plan/run/location.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { RenderlineError } from '../renderline-error.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';
import { collectWaits, isDecisionAwaited } from '../runs/run-waits.ts';

/** @throws RenderlineError if assets are waiting for a decision, but the records have never listed any */
export async function assertRecordsFound(
  snapshot: RunSnapshot,
  { approvals }: Pick<RunStore, 'approvals'>,
  readProgress: () => Promise<RunProgress | null>,
): Promise<void> {
  if ((await approvals.shown()).length > 0) return;
  if (collectWaits(await readProgress()).some(isDecisionAwaited))
    throw recordsElsewhereError(snapshot, 'Assets');
}

/** @param subject what is waiting for a decision but is missing from the records here */
export function recordsElsewhereError(
  { run, memo }: Pick<RunSnapshot, 'run' | 'memo'>,
  subject: 'Assets' | 'Changed pictures',
): RenderlineError {
  const location = memo === null ? null : locationOf(memo.records);
  return new RenderlineError(
    storageFailures.RECORDS_UNREADABLE,
    `${subject} of ${run} are waiting for a decision, but the records of the run are not in ${location ?? 'their location'} on this machine.`,
    { fix: 'Run the command where the records are, or mount their folder here.', details: { run } },
  );
}
