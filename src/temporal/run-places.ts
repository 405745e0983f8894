// Where the runs of a workspace keep their records: the memo of each run says so.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../plan/contract.ts';
import { memoIn } from '../plan/run-memo.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import { CodecKeyMissingError, CodecKeyWrongError } from './codec/codec-errors.ts';

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

const answerMs = 20_000;

/** Each place once. @param sinceMs runs that ended before are left out, ms since the epoch */
export async function runPlaces(
  client: Client,
  whose: WhoseRuns,
  sinceMs: number,
): Promise<MakerPlace[]> {
  const { taskQueue } = whose;
  const own = await placesOf(client, `TaskQueue = '${taskQueue}'`, whose, sinceMs);
  try {
    return [...own, ...(await placesOf(client, `TaskQueue != '${taskQueue}'`, whose, sinceMs))];
  } catch (error) {
    // Runs of other queues may be encrypted with keys that are not for us.
    if (error instanceof CodecKeyMissingError || error instanceof CodecKeyWrongError) return own;
    throw error;
  }
}

async function placesOf(
  client: Client,
  ofQueue: string,
  { workspace, taskQueue }: WhoseRuns,
  sinceMs: number,
): Promise<MakerPlace[]> {
  const since = new Date(sinceMs).toISOString();
  const query = `WorkflowType = '${workflowNames.run}' AND ${ofQueue} AND (ExecutionStatus = 'Running' OR CloseTime > '${since}')`;
  const places = new Map<string, MakerPlace>();
  await client.withDeadline(Date.now() + answerMs, async () => {
    for await (const run of client.workflow.list({ query, pageSize: 1_000 })) {
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
