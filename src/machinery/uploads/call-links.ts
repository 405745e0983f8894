// What a creating call needs for its files: its signed links, and which of the files are up.
// Nothing signed is ever written down: its key replays the answer with the links.
import type { OperationId } from '../../api/operations/index.ts';
import type { MovedFile, MovedFiles } from '../../store/runs/moved-files.ts';
import type { NodeContext } from '../node-context.ts';
import type { AnswerTo, Creation } from '../submit/creation.ts';
import { resend, type Submitted } from '../submit/submit-once.ts';

/** About as long as links live; the key would replay the dead ones for a day, and make other records after it (platform.md, section 8). */
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

/** Files that are up, by the ids of the call's records. */
export function movedOf(
  { intent, answer }: Submitted,
  { store, shard }: NodeContext,
): Promise<MovedFiles<MovedFile>> {
  return store.movedFiles({ shard, name: intent.key }, answer === null);
}
