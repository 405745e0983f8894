// Detects that records are on another machine. Without them, no asset of the run seems to await a decision.
import type { RunProgress } from '../../plan/contract/contract.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { RenderlineError } from '../renderline-error.ts';
import { missingRecordsError } from '../runs/open-run-store.ts';
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
  snapshot: Pick<RunSnapshot, 'run' | 'memo'>,
  subject: 'Assets' | 'Changed pictures',
): RenderlineError {
  return missingRecordsError(
    snapshot,
    (location) =>
      `${subject} of ${snapshot.run} are waiting for a decision, but the records of the run are not in ${location} on this machine.`,
  );
}
