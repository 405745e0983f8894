// Where the runs of a workspace keep their records: the memo of each run says so.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../plan/contract.ts';
import { type RunMemo, runMemoField } from '../plan/run-memo.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import { CodecKeyMissingError, CodecKeyWrongError } from './codec/codec-errors.ts';
import { decodedValue } from './codec/decoded.ts';

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
  for await (const { memo, ...run } of listRuns(client, query)) {
    const isOurs =
      memo.workspace === undefined || workspace === undefined
        ? run.taskQueue === taskQueue
        : memo.workspace === workspace;
    const { pipeline, records } = memo;
    const place = { pipeline, records, taskQueue: run.taskQueue };
    if (isOurs) places.set(JSON.stringify(place), place);
  }
  return [...places.values()];
}

/** The SDK's own list ends at the first memo that it cannot read. */
async function* listRuns(client: Client, query: string) {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.withDeadline(Date.now() + answerMs, () =>
      client.workflowService.listWorkflowExecutions({
        namespace,
        query,
        pageSize: 1_000,
        ...(nextPageToken ? { nextPageToken } : {}),
      }),
    );
    for (const { memo, taskQueue } of page.executions) {
      const read = await readMemo(client, memo?.fields?.[runMemoField]);
      if (read !== null) yield { memo: read, taskQueue: taskQueue ?? '' };
    }
    ({ nextPageToken } = page);
  } while (nextPageToken?.length);
}

async function readMemo(
  client: Client,
  field: Parameters<typeof decodedValue>[1],
): Promise<RunMemo | null> {
  try {
    return await decodedValue<RunMemo>(client.options, field);
  } catch (error) {
    if (error instanceof CodecKeyMissingError || error instanceof CodecKeyWrongError) return null;
    throw error;
  }
}
