// Lists raw executions of the server, because the SDK's own list throws at the first memo that it cannot decode.

import type { Client } from '@temporalio/client';
import { readTokenPages } from '../call-with-timeout.ts';

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

const perPage = 1_000;

type Page = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>;
export type ListedExecution = Page['executions'][number];

/** Yields pages of executions, newest first. An execution that was started a moment ago may be missing. */
export async function* listExecutionPages(
  client: Client,
  query: string,
): AsyncGenerator<readonly ListedExecution[]> {
  const { namespace } = client.options;
  const pages = readTokenPages(client, (nextPageToken) =>
    client.workflowService.listWorkflowExecutions({
      namespace,
      query,
      pageSize: perPage,
      nextPageToken,
    }),
  );
  for await (const { executions } of pages) yield executions;
}
