// Decides whether a workflow is open, and creates visibility queries for open workflows.

/** True unless a workflow has ended. Somebody may have paused it in Temporal. */
export function isOpenStatus({ name }: { name: string }): boolean {
  return name === 'RUNNING' || name === 'PAUSED';
}

/** Returns the query for the workflows of a type that are open and not paused in Temporal. */
export function openOfType(workflowType: string): string {
  return `WorkflowType = '${workflowType}' AND ExecutionStatus = 'Running'`;
}

/** Returns the query for the open workflows of a type at a task queue. */
export function openAtQueue(workflowType: string, taskQueue: string): string {
  return `${openOfType(workflowType)} AND TaskQueue = '${taskQueue}'`;
}
