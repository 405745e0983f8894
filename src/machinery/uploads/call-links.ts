// The signed links of a creating call. Nothing signed is ever written down: its key replays the answer with them.
import type { OperationId } from '../../api/operations/index.ts';
import type { NodeContext } from '../node-context.ts';
import type { AnswerTo, Creation } from '../submit/creation.ts';
import { resend, type Submitted } from '../submit/submit-once.ts';

/** About as long as links live; the key would replay the dead ones for a day, and make other records after it (trap 1). */
const linksLiveMs = 3_600_000;

/** The answer of a call of this operation with its links; null when they have died. */
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
