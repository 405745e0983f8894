// A worker looks before it starts whether it can read the runs that wait for it.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract.ts';
import { isUnreadable } from './codec-errors.ts';

const runsRead = 20;
const answerMs = 5_000;

/** @throws CodecKeyMissingError, CodecKeyWrongError where open runs of the queue are encrypted with a key that is not here */
export async function refuseUnreadable(client: Client, taskQueue: string): Promise<void> {
  const query = `WorkflowType = '${workflowNames.run}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  try {
    await client.withDeadline(Date.now() + answerMs, async () => {
      let read = 0;
      // Their memos are decoded on the way.
      for await (const _run of client.workflow.list({ query, pageSize: runsRead })) {
        read += 1;
        if (read === runsRead) break;
      }
    });
  } catch (error) {
    if (isUnreadable(error)) throw error;
    // A server that cannot list just now does not keep a worker from its work.
  }
}
