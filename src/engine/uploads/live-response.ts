// Gets the signed links of a creating call and its uploaded files. Signed links are never stored. Sending the call
// again under the same idempotency key returns the response with the links.
import type { OperationId } from '../../api/operations/index.ts';
import type { TransferredFile, TransferredFiles } from '../../store/runs/transferred-files.ts';
import type { NodeContext } from '../node-context.ts';
import type { Creation, ResponseTo } from '../submit/creation.ts';
import { resend, type SubmitResult } from '../submit/submit-once.ts';

/** Approximate lifetime of links. For a day, a resend returns expired links. Later, it would create new records. */
const linkLifetimeMs = 3_600_000;

/**
 * Returns the response of a creating call, with its signed links. If the response is not in memory, the call is sent
 * again under its idempotency key. Null if the links have expired.
 */
export async function readLiveResponse<Id extends OperationId>(
  creation: Creation<Id>,
  call: SubmitResult<Id>,
  context: NodeContext,
): Promise<ResponseTo<Id> | null> {
  if (call.response !== null) return call.response;
  const ageMs = context.now() - Date.parse(call.intent.createdAt);
  if (ageMs > linkLifetimeMs) return null;
  return (await resend(call.intent, creation, context)).response;
}

/** Reads the uploaded files of a creating call by the ids of the platform records that the call created. */
export function readUploadedFiles(
  { intent, response }: SubmitResult,
  { store, shard }: NodeContext,
): Promise<TransferredFiles<TransferredFile>> {
  return store.transferredFiles({ shard, name: intent.key }, response === null);
}
