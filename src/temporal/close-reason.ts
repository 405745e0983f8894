// Why a workflow was ended by somebody or something that is not its own code, as the last event of its history has it.
import type { Client } from '@temporalio/client';

const answerMs = 5_000;

/** In words; null where it ended by itself, goes on, or is not known any more. */
export async function closeReason(
  client: Client,
  execution: { workflowId: string; runId?: string },
): Promise<string | null> {
  const { history } = await client.withDeadline(Date.now() + answerMs, () =>
    client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution,
      maximumPageSize: 1,
    }),
  );
  const [last] = history?.events ?? [];
  const terminated = last?.workflowExecutionTerminatedEventAttributes;
  if (terminated) {
    const { reason, identity } = terminated;
    return `terminated${identity ? ` by ${identity}` : ''}${reason ? `: ${reason}` : ''}`;
  }
  if (last?.workflowExecutionTimedOutEventAttributes) {
    return 'it ran into the time limit that it was started with';
  }
  return null;
}
