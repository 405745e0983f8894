// Keeps a run from paying for finished work again because its records are not where they were (decision 097).
import type { Connector } from '../../src/connectors/connector.ts';
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import { runFailures } from '../../src/failures/runs.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { Deps } from '../deps.ts';
import { retryFailure } from '../failures.ts';

const recheckMs = 5_000;

/**
 * Temporal is asked only if the location has no records of the pipeline, so only first runs need a request.
 * @param restOfFix what to do after the records are back, and how to start new ones
 * @throws RunCauseError if an earlier run of the pipeline has stored its records there. A run pauses, and an event
 * trigger keeps its events
 */
export async function assertRecordsPresent(
  records: Connector,
  context: RunContext,
  deps: Pick<Deps, 'storeOf' | 'workflows'>,
  restOfFix: string,
): Promise<void> {
  // Each run writes a recipe before it lists its assets, and nothing deletes recipes.
  if (await deps.storeOf(context).recipes.hasAny()) return;
  const earlierRun = await deps.workflows.findCompletedRun(context).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `Could not read from Temporal whether earlier runs of ${context.pipeline} have stored records: ${reason}`;
    throw retryFailure(problem, 'TEMPORAL_UNREADABLE', recheckMs, false);
  });
  if (earlierRun === null) return;
  const message = `there are no records of pipeline ${context.pipeline} in ${records.describe()}, where its run ${earlierRun} stored them; without them, all finished work would be paid for again`;
  const fix = `Mount the drive, or restore the records, on all workers${restOfFix}`;
  throw new RunCauseError(runFailures.RECORDS_MISSING, message, { fix });
}
