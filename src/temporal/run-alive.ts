// Whether a run still works on what it has claimed.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** True while the workflow is open; false once it closed or is not known to this server. */
export async function workflowIsOpen(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' || status.name === 'PAUSED';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
