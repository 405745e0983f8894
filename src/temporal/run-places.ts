// Where the runs of a workspace keep their records: the memo of each run says so.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../plan/contract.ts';
import { memoIn } from '../plan/run-memo.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import { listWorkflows } from './codec/tolerant-reader.ts';

/** Whose runs count: those of the workspace, and those of the task queue that do not say of which workspace they are. */
export interface WhoseRuns {
  taskQueue: string;
  workspace?: string | undefined;
}

/** Records of a pipeline whose run Temporal knows. */
export interface MakerPlace {
  pipeline: string;
  records: ConnectorSpec;
  taskQueue: string;
}

const listMs = 60_000;

/**
 * Each place once. Runs that are encrypted with a key that is not here are left out: while one of them is open at its queue,
 * no worker without the key starts there.
 * @param sinceMs runs that ended before are left out, ms since the epoch
 */
export async function runPlaces(
  client: Client,
  { workspace, taskQueue }: WhoseRuns,
  sinceMs: number,
): Promise<MakerPlace[]> {
  const since = new Date(sinceMs).toISOString();
  const query = `WorkflowType = '${workflowNames.run}' AND (ExecutionStatus = 'Running' OR CloseTime > '${since}')`;
  const places = new Map<string, MakerPlace>();
  await client.withDeadline(Date.now() + listMs, async () => {
    for await (const run of listWorkflows(client, { query, pageSize: 1_000 })) {
      const memo = memoIn(run.memo);
      if (memo === null) continue;
      const isOurs =
        memo.workspace === undefined || workspace === undefined
          ? run.taskQueue === taskQueue
          : memo.workspace === workspace;
      const { pipeline, records } = memo;
      const place = { pipeline, records, taskQueue: run.taskQueue };
      if (isOurs) places.set(JSON.stringify(place), place);
    }
  });
  return [...places.values()];
}
