// The names of a run: given when a person starts it, taken from Temporal when a schedule does.
import { workflowInfo } from '@temporalio/workflow';
import type { RunInput, RunStart } from '../src/plan/contract.ts';

/**
 * The server gives each start of a schedule a workflow id of its own. A reset or a continuation keeps both ids,
 * so what was submitted is found again.
 */
export function named(start: RunStart): RunInput {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const run = start.run ?? workflowId;
  return { ...start, run, lineage: start.lineage ?? `${run}/${firstExecutionRunId}` };
}
