// Determines the id of a run. Whoever starts the run provides the id. A scheduled run has the id of its workflow.
import { workflowInfo } from '@temporalio/workflow';
import type { RunInput, RunStart } from '../src/plan/contract/contract.ts';

/**
 * Adds the id and the lineage of a run to its input. Each start of a schedule has its own workflow id. Run id and
 * lineage survive a reset and a continue-as-new, so that submitted work is found again.
 */
export function withRunId(start: RunStart): RunInput {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const run = start.run ?? workflowId;
  return { ...start, run, lineage: start.lineage ?? `${run}/${firstExecutionRunId}` };
}
