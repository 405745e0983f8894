// Names of a run: given when a person starts it, from Temporal when a schedule does.
import { workflowInfo } from '@temporalio/workflow';
import type { RunInput, RunStart } from '../src/plan/contract.ts';

/**
 * Each start of a schedule has a workflow id of its own. A reset or a continuation keeps the ids,
 * so what was submitted is found again.
 */
export function named(start: RunStart): RunInput {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const run = start.run ?? workflowId;
  return { ...start, run, lineage: start.lineage ?? `${run}/${firstExecutionRunId}` };
}
