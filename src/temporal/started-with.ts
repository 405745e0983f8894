// What a workflow was started with, from the first event of its history alone.
import { type Client, isGrpcServiceError } from '@temporalio/client';

const notFound = 5;
const answerMs = 5_000;

/** Its first argument; null where the server has forgotten the workflow, or never knew it. */
export async function startedWith(
  client: Client,
  namespace: string,
  workflowId: string,
): Promise<unknown> {
  const read = () =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId },
      maximumPageSize: 1,
    });
  try {
    const { history } = await client.withDeadline(Date.now() + answerMs, read);
    const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
    const [payload] = started?.input?.payloads ?? [];
    if (!payload) return null;
    return client.options.loadedDataConverter.payloadConverter.fromPayload(payload);
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === notFound) return null;
    throw error;
  }
}
