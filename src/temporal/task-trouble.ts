// Finds workflows on which workers fail again and again: the deployed code does not fit the history, or has a bug.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { failureMessage } from './codec/decoded.ts';

const answerMs = 5_000;
/** A task may fail once or twice while workers are replaced. */
export const attemptsBorne = 3;
/** Events that are looked through for the failure, latest first. */
const eventsRead = 20;

/** Attempts of the workflow's task so far, the one that is due included; 0: it has none, or is not there any more. */
export async function taskAttempts(client: Client, workflowId: string): Promise<number> {
  try {
    const { raw } = await client.withDeadline(Date.now() + answerMs, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    return raw.pendingWorkflowTask?.attempt ?? 0;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 0;
    throw error;
  }
}

/** The failure in words, or null. A failing task keeps its workflow where it is and loses nothing. */
export async function taskTrouble(client: Client, workflowId: string): Promise<string | null> {
  return client.withDeadline(Date.now() + answerMs, async () => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
    if (attempt < attemptsBorne) return null;
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId },
      maximumPageSize: eventsRead,
    });
    const failed = history?.events?.find((event) => event.workflowTaskFailedEventAttributes);
    const attributes = failed?.workflowTaskFailedEventAttributes;
    const why = await failureMessage(client.options, attributes?.failure);
    const reason = why ? `: ${why.slice(0, 400)}` : '';
    return `its workers fail on it again and again (attempt ${attempt})${reason}. Nothing is lost: go back to the workers of before, or mend these, and it goes on by itself`;
  });
}
