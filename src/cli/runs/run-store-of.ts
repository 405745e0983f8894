// The records store of a run, as what Temporal keeps with the run names it.
import { commandFailures } from '../../failures/commands.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { CliError } from '../exit.ts';
import type { RunSnapshot } from './run-snapshot.ts';

/** For reading only: what is written through it would be of no recipe. */
export async function storeOfRun({
  run,
  memo,
}: Pick<RunSnapshot, 'run' | 'memo'>): Promise<RunStore> {
  if (memo === null) {
    throw new CliError(
      commandFailures.RECORDS_UNKNOWN,
      `Temporal does not say where the run ${run} keeps its records.`,
    );
  }
  const { openConnector } = await import('../../connectors/index.ts');
  const { openRunStore } = await import('../../store/runs/run-store.ts');
  const context = { run, lineage: run, pipeline: memo.pipeline, recipe: '' };
  return openRunStore(openConnector(memo.records), context);
}
