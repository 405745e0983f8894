// Handles calls whose answer did not come, or does not tell all. Reads are asked before anything is sent again, and
// doubts that remain are reported. The contract's rows name the reads (`shownBy`).
import type { OperationId } from '../../api/operations/index.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { OutcomeOpenError } from '../engine-errors.ts';
import type { NodeContext } from '../node-context.ts';
import { type AnswerTo, type Creation, sentAs } from './creation.ts';
import { type Answers, type Finding, mayBeUnderWay, orElse } from './finding.ts';
import { leftoversOf } from './leftovers.ts';

/** Looks whether a call without an answer has worked. Work that is done in part may be under way, and is waited for. */
export async function lookFor<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  context: NodeContext,
): Promise<Finding> {
  const look = async () => creation.look?.(sentAs(creation, intent), context);
  const finding = (await orElse(undefined, look)) ?? { is: 'unknown' as const };
  const isPart = finding.is === 'done' && intent.assets.some((key) => !finding.made[key]);
  if (isPart && mayBeUnderWay(intent, context)) throw new OutcomeOpenError(intent);
  return finding;
}

/** Adds assets that the answer does not mention, though it gives no errors for them either (platform.md, section 4, partial success). */
export async function withUnmentioned<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  { answer, refs }: { answer: AnswerTo<Id>; refs: Answers },
  context: NodeContext,
): Promise<Answers> {
  const lacking = intent.assets.filter((key) => refs[key] === undefined);
  if (lacking.length <= errorsOf(answer)) return refs;
  const read = async () => creation.rest?.(sentAs(creation, intent), answer, context);
  return { ...(await orElse({}, read)), ...refs };
}

function errorsOf(answer: unknown): number {
  if (typeof answer !== 'object' || answer === null) return 0;
  return 'errors' in answer && Array.isArray(answer.errors) ? answer.errors.length : 0;
}

/** Refs from a call that was sent more than once; `is`: what reads have told before the last time. */
export async function withDoubt(
  intent: Intent,
  creation: Creation,
  refs: Answers,
  is: 'undone' | 'unknown',
  context: NodeContext,
): Promise<Answers> {
  const leftovers = is === 'unknown' ? await leftoversOf(intent, creation, refs, context) : null;
  const entries = Object.entries(refs).map(([key, made]): [string, Refs] => {
    const words = is === 'unknown' ? perhapsTwice(intent, leftovers?.get(key)) : null;
    return [
      key,
      { ...made, ...creation.doubted, ...(words === null ? {} : { perhapsTwice: words }) },
    ];
  });
  return Object.fromEntries(entries);
}

/** @param leftovers what else of its name was made meanwhile; absent where nobody can tell */
function perhapsTwice(
  { operation, doubtSince }: Intent,
  leftovers: readonly string[] | undefined,
): string | null {
  const hasFailed = doubtSince !== undefined;
  const why = hasFailed
    ? "an answer that was lost or an error of the platform's own"
    : 'its worker had ended';
  const sent = `${operation} was sent again after ${why}`;
  const twice = 'may have been done, and counted, twice';
  // The key of a call that nobody saw fail most likely remembers the answer, so only visible leftovers are reported.
  if (leftovers === undefined) return hasFailed ? `${sent}, so its work ${twice}` : null;
  if (leftovers.length === 0) return null;
  return `${sent}, and ${leftovers.join(' and ')} of the same name came into being meanwhile, so its work ${twice}; delete what nobody uses`;
}
