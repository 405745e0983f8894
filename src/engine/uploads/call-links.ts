// The signed links of a creating call. Nothing signed is ever written down: its key replays the answer with them.
import type { NodeContext } from '../../nodes/node-context.ts';
import { resend, type Submitted } from '../submit/submit-once.ts';

/** About as long as links live; the key would replay the dead ones for a day, and make other records after it (trap 1). */
const linksLiveMs = 3_600_000;

/** The answer of a call with its links; null when they have died. */
export async function liveAnswer(call: Submitted, context: NodeContext): Promise<unknown> {
  if (call.answer !== null) return call.answer;
  const ageMs = context.now() - Date.parse(call.intent.createdAt);
  return ageMs > linksLiveMs ? null : (await resend(call.intent, context)).answer;
}
