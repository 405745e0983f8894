// Reads the input of a run from the first history event.

import type { Client } from '@temporalio/client';
import { type RunStart, workflowIds } from '../../plan/contract/contract.ts';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { decodeValue } from '../codec/decode-payload.ts';

/** Returns the input, or null if the server has deleted the run or does not know it. */
export async function readRunInput(client: Client, run: string): Promise<RunStart | null> {
  const page = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId: workflowIds.run(run) },
      maximumPageSize: 1,
    }),
  ).catch(ignoreNotFound);
  if (page === null) return null;
  const start = page.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  // `run`, schedules and event triggers all start a pipelineRun with a RunStart.
  return decodeValue<RunStart>(client.options, start?.input?.payloads?.[0]);
}
