// The signed links of a creating call, and which of its files are uploaded. Signed links are never stored: the idempotency
// key replays the response that contains them.
import type { OperationId } from '../../api/operations/index.ts';
import type { MovedFile, MovedFiles } from '../../store/runs/moved-files.ts';
import type { NodeContext } from '../node-context.ts';
import type { AnswerTo, Creation } from '../submit/creation.ts';
import { resend, type Submitted } from '../submit/submit-once.ts';

/** About the lifetime of links. The key replays expired links for a day, and would create other records after that. */
const linksLiveMs = 3_600_000;

/** The response of a call with its links; null if the links have expired. */
export async function liveAnswer<Id extends OperationId>(
  creation: Creation<Id>,
  call: Submitted<Id>,
  context: NodeContext,
): Promise<AnswerTo<Id> | null> {
  if (call.answer !== null) return call.answer;
  const ageMs = context.now() - Date.parse(call.intent.createdAt);
  if (ageMs > linksLiveMs) return null;
  return (await resend(call.intent, creation, context)).answer;
}

/** The uploaded files, by the ids of the call's records. */
export function movedOf(
  { intent, answer }: Submitted,
  { store, shard }: NodeContext,
): Promise<MovedFiles<MovedFile>> {
  return store.movedFiles({ shard, name: intent.key }, answer === null);
}
