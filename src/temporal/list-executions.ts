// Lists executions as the server gives them: the SDK's own list ends at the first memo that it cannot read.
import type { Client } from '@temporalio/client';

const answerMs = 20_000;
const perPage = 1_000;

type Page = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>;
export type ListedExecution = Page['executions'][number];

/** Page by page, newest first. One that was started a moment ago may be missing. */
export async function* listPages(
  client: Client,
  query: string,
): AsyncGenerator<readonly ListedExecution[]> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page: Page = await client.withDeadline(Date.now() + answerMs, () =>
      client.workflowService.listWorkflowExecutions({
        namespace,
        query,
        pageSize: perPage,
        ...(nextPageToken ? { nextPageToken } : {}),
      }),
    );
    yield page.executions;
    ({ nextPageToken } = page);
  } while (nextPageToken?.length);
}
