// Reads from the last history event why a workflow was closed from outside: terminated or timed out.

import type { Client } from '@temporalio/client';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';

/** Reads the reason. Null if the workflow ended on its own or is open. @throws gRPC errors: NOT_FOUND if deleted */
export async function readCloseReason(
  client: Client,
  execution: { workflowId: string; runId?: string },
): Promise<string | null> {
  const { history } = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution,
      maximumPageSize: 1,
    }),
  );
  const [last] = history?.events ?? [];
  const termination = last?.workflowExecutionTerminatedEventAttributes;
  if (termination) {
    const { reason, identity } = termination;
    return `terminated${identity ? ` by ${identity}` : ''}${reason ? `: ${reason}` : ''}`;
  }
  if (last?.workflowExecutionTimedOutEventAttributes) {
    return 'it exceeded the timeout set at its start';
  }
  return null;
}
