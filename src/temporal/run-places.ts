// Where the runs of a workspace keep their records: the memo of each run says so.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../plan/contract.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import { listPages, memoOfRun } from './status/list-runs.ts';

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
  for await (const page of listPages(client, query)) {
    for (const run of page) {
      const memo = await memoOfRun(client, run);
      if (memo === null) continue;
      const queue = run.taskQueue ?? '';
      const isOurs =
        memo.workspace === undefined || workspace === undefined
          ? queue === taskQueue
          : memo.workspace === workspace;
      const { pipeline, records } = memo;
      const place = { pipeline, records, taskQueue: queue };
      if (isOurs) places.set(JSON.stringify(place), place);
    }
  }
  return [...places.values()];
}
