// Handles calls whose response was lost or is incomplete. Reads are made before anything is sent again, and outcomes that
// stay ambiguous are reported. The contract rows name the reads (`verifiedBy`).
import type { OperationId } from '../../api/operations/index.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { OutcomeOpenError } from '../engine-errors.ts';
import type { NodeContext } from '../node-context.ts';
import { type AnswerTo, type Creation, sentAs } from './creation.ts';
import { type Answers, type Finding, mayBeUnderWay, orElse } from './finding.ts';
import { leftoversOf } from './leftovers.ts';

/** Reads whether a call without a response has worked. A partial result may mean that the platform is still working, so it is waited for. */
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

/** Adds assets that the response mentions neither as created nor as failed. */
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

/** Marks the ids from a call that was sent more than once. @param is what reads showed before the last attempt */
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

/** @param leftovers other resources of the same name created meanwhile; undefined if that is unknown */
function perhapsTwice(
  { operation, doubtSince }: Intent,
  leftovers: readonly string[] | undefined,
): string | null {
  const hasFailed = doubtSince !== undefined;
  const why = hasFailed ? 'a lost response or an error of the platform' : 'its worker had ended';
  const sent = `${operation} was sent again after ${why}`;
  const twice = 'may have been done, and counted, twice';
  // If no failure was seen, the idempotency key most likely replays the response, so only visible duplicates are reported.
  if (leftovers === undefined) return hasFailed ? `${sent}, so its work ${twice}` : null;
  if (leftovers.length === 0) return null;
  return `${sent}, and ${leftovers.join(' and ')} of the same name appeared meanwhile, so its work ${twice}; delete what is not used`;
}
