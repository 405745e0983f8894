// The records store of a run, as what Temporal keeps with the run names it.
import { openConnector } from '../../connectors/index.ts';
import { openRunStore, type RunStore } from '../../store/runs/run-store.ts';
import { CliError, exitCode } from '../exit.ts';
import type { RunSnapshot } from './run-snapshot.ts';

/** For reading only: what is written through it would be of no recipe. */
export function storeOfRun({ run, memo }: Pick<RunSnapshot, 'run' | 'memo'>): RunStore {
  if (memo === null) {
    throw new CliError(
      exitCode.notFound,
      'RECORDS_UNKNOWN',
      `Temporal does not say where the run ${run} keeps its records.`,
      'It was not started by this version; its page in the Temporal UI tells more.',
    );
  }
  const context = { run, lineage: run, pipeline: memo.pipeline, recipe: '' };
  return openRunStore(openConnector(memo.records), context);
}
