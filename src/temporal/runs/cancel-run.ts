// Requests the cancellation of a run with a reason, which the SDK's own call does not support.
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { findGrpcStatus, grpcCode } from '../../failures/grpc-status.ts';
import { workflowIds } from '../../plan/contract/contract.ts';
import { encryptText } from '../codec/encrypt-text.ts';

/** Requests the cancellation. @throws WorkflowNotFoundError if no run with this name is open */
export async function cancelRun(client: Client, run: string, reason = ''): Promise<void> {
  const { namespace, identity } = client.options;
  const workflowId = workflowIds.run(run);
  const sealedReason = reason && (await encryptText(client.options, reason));
  try {
    await client.workflowService.requestCancelWorkflowExecution({
      namespace,
      identity,
      requestId: randomUUID(),
      workflowExecution: { workflowId },
      reason: sealedReason,
    });
  } catch (error) {
    const status = findGrpcStatus(error);
    if (status?.code !== grpcCode.notFound) throw error;
    throw new WorkflowNotFoundError(status.details, workflowId, undefined);
  }
}
