// Finds where the runs of a workspace store their records, from the memos of the runs.
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import type { RunContext } from '../../plan/run/run-context.ts';
import { parseRunMemo } from '../../plan/run/run-memo.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';

/** Selects the runs of a workspace, and the runs of the task queue if their workspace or `workspace` is not known. */
export interface RunsScope {
  taskQueue: string;
  workspace?: string | undefined;
}

/** Where a pipeline stores its records. */
export interface RecordsLocation {
  pipeline: string;
  records: ConnectorSpec;
  taskQueue: string;
}

/**
 * Lists the locations. Encrypted runs whose key is not set here are skipped. Skipping them is safe,
 * because no worker without the key starts at a task queue while such a run is open there.
 * @param sinceMs runs that closed before this time are skipped, epoch ms
 */
export async function listRecordsLocations(
  client: Client,
  { workspace, taskQueue }: RunsScope,
  sinceMs: number,
): Promise<RecordsLocation[]> {
  const since = new Date(sinceMs).toISOString();
  const query = `WorkflowType = '${workflowNames.run}' AND (ExecutionStatus = 'Running' OR CloseTime > '${since}')`;
  const locations = new Map<string, RecordsLocation>();
  for await (const run of listWorkflows(client, { query, pageSize: 1_000 })) {
    const memo = parseRunMemo(run.memo);
    if (memo === null) continue;
    const isOurs =
      memo.workspace === undefined || workspace === undefined
        ? run.taskQueue === taskQueue
        : memo.workspace === workspace;
    const { pipeline, records } = memo;
    const location = { pipeline, records, taskQueue: run.taskQueue };
    if (isOurs) locations.set(JSON.stringify(location), location);
  }
  return [...locations.values()];
}

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
