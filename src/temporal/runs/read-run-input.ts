// Reads the input of a run from the first history event.

import type { Client } from '@temporalio/client';
import { grpcCode, hasGrpcCode } from '../../failures/grpc-status.ts';
import { type RunStart, workflowIds } from '../../plan/contract/contract.ts';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';
import { decodeValue } from '../codec/decode-payload.ts';

/** Returns the input, or null if the server has deleted the run or does not know it. */
export async function readRunInput(client: Client, run: string): Promise<RunStart | null> {
  const read = () =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId: workflowIds.run(run) },
      maximumPageSize: 1,
    });
  try {
    const { history } = await callWithTimeout(client, responseTimeoutMs.usual, read);
    const start = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
    // `run`, schedules and event triggers all start a pipelineRun with a RunStart.
    return await decodeValue<RunStart>(client.options, start?.input?.payloads?.[0]);
  } catch (error) {
    if (hasGrpcCode(error, grpcCode.notFound)) return null;
    throw error;
  }
}
