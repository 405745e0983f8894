import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import type { RunContext } from '../../plan/run/run-context.ts';
import { parseRunMemo } from '../../plan/run/run-memo.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';

export type RecordsOwner = Pick<RunContext, 'pipeline' | 'records' | 'workspace'>;

/**
 * Finds the newest completed run of the pipeline with the same records location. Null if Temporal knows none. Runs of
 * another workspace, and runs that cannot be decrypted here, are skipped.
 */
export async function findCompletedRun(
  client: Client,
  { pipeline, records, workspace }: RecordsOwner,
): Promise<string | null> {
  const query = `WorkflowType = '${workflowNames.run}' AND ExecutionStatus = 'Completed'`;
  for await (const run of listWorkflows(client, { query, pageSize: 1_000 })) {
    const memo = parseRunMemo(run.memo);
    if (memo?.pipeline !== pipeline || !isDeepStrictEqual(memo.records, records)) continue;
    const isOurs = [undefined, workspace].includes(memo.workspace) || workspace === undefined;
    if (isOurs) return run.workflowId;
  }
  return null;
}
