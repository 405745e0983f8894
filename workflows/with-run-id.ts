// Determines the id of a run: given by the person who starts the run, or by Temporal for a scheduled run.
import { workflowInfo } from '@temporalio/workflow';
import type { RunInput, RunStart } from '../src/plan/contract/contract.ts';

/**
 * Each start of a schedule has its own workflow id. A reset or a continuation keeps the ids, so that submitted work
 * is found again.
 */
export function withRunId(start: RunStart): RunInput {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const run = start.run ?? workflowId;
  return { ...start, run, lineage: start.lineage ?? `${run}/${firstExecutionRunId}` };
}
