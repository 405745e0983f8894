// Reads the history events of a workflow, from its latest executions that the server retains, newest execution first.

import type { Client } from '@temporalio/client';
import { atMsOf } from '../at-ms-of.ts';
import { ignoreNotFound, readTokenPages } from '../call-with-timeout.ts';

/** Maximum number of executions that are read of one workflow. */
const maxExecutions = 20;

type History = Awaited<
  ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>
>['history'];
export type HistoryEvent = NonNullable<NonNullable<History>['events']>[number];

/** Yields pages of events in order within an execution. Ends early if the server has deleted the workflow. */
export async function* readHistoryPages(
  client: Client,
  workflowId: string,
): AsyncGenerator<HistoryEvent[]> {
  let runId = '';
  for (let execution = 0; execution < maxExecutions; execution += 1) {
    let previousRunId = '';
    for await (const events of readExecutionPages(client, workflowId, runId)) {
      const start = events[0]?.workflowExecutionStartedEventAttributes;
      if (start) previousRunId = start.continuedExecutionRunId ?? '';
      yield events;
    }
    if (previousRunId === '') return;
    runId = previousRunId;
  }
}

/** Yields pages of events of one execution, or of the newest execution if `runId` is empty. */
export async function* readExecutionPages(
  client: Client,
  workflowId: string,
  runId: string,
): AsyncGenerator<HistoryEvent[]> {
  const pages = readTokenPages(client, (nextPageToken) =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, ...(runId === '' ? {} : { runId }) },
      nextPageToken,
    }),
  );
  try {
    for await (const { history } of pages) yield history?.events ?? [];
  } catch (error) {
    ignoreNotFound(error);
  }
}

/** Returns the time of an event, epoch ms, or 0 if the event has none. */
export function eventAtMsOf({ eventTime }: HistoryEvent): number {
  return Math.floor(atMsOf(eventTime));
}
