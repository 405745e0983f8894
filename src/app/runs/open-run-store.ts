// Opens the records store of a run, whose location is in the run's memo in Temporal.

import { openConnector } from '../../connectors/index.ts';
import { commandFailures } from '../../failures/commands.ts';
import { storageFailures } from '../../failures/storage.ts';
import { readPaidWorkOfRun } from '../../features/paid-work.ts';
import { openRunStore } from '../../features/run-store.ts';
import { locationOf } from '../../plan/run/location.ts';
import type { PaidWork } from '../../plan/run/paid-work.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { RenderlineError } from '../renderline-error.ts';
import type { RunSnapshot } from './run-snapshot.ts';

/** Opens the store without a recipe. Do not write results to it. @throws RenderlineError if the run has no memo */
export function openStoreOfRun({ run, memo }: Pick<RunSnapshot, 'run' | 'memo'>): RunStore {
  if (memo === null) {
    throw new RenderlineError(
      commandFailures.RECORDS_UNKNOWN,
      `The location of the records of ${run} is unknown: the run has no Renderline memo in Temporal.`,
    );
  }
  const context = { run, lineage: run, pipeline: memo.pipeline, recipe: '' };
  return openRunStore(openConnector(memo.records), context);
}

/** Creates the error for records that are not at their location here. @param format formats the message */
export function missingRecordsError(
  { run, memo }: Pick<RunSnapshot, 'run' | 'memo'>,
  format: (location: string) => string,
): RenderlineError {
  const location = (memo && locationOf(memo.records)) ?? 'their location';
  return new RenderlineError(storageFailures.RECORDS_UNREADABLE, format(location), {
    fix: 'Run the command on the machine with the records, or mount the folder of the records here.',
    details: { run },
  });
}

/** Reads what a run has paid for, from the run's records. Returns null if this process cannot read them. */
export async function readPaidOrNull(
  snapshot: Pick<RunSnapshot, 'run' | 'memo' | 'status'>,
): Promise<PaidWork | null> {
  if (snapshot.memo === null) return null;
  try {
    return await readPaidWorkOfRun(openStoreOfRun(snapshot), snapshot.status !== 'running');
  } catch {
    return null;
  }
}
