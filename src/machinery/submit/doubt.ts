// What is made of a call whose answer did not come, or does not tell all: what reads show is used before anything is
// sent again, and what nobody can know is said. The contract's rows name the reads (`shownBy`).
import type { OperationId } from '../../api/operations/index.ts';
import { lookForSheets } from '../../capabilities/production/look-for-sheets.ts';
import { lookForProjects } from '../../capabilities/projects/look-for-projects.ts';
import {
  lookForColorwayRestart,
  lookForConfirm,
  lookForRestart,
  modelsOfJob,
  rendersOfBatch,
} from '../../capabilities/renders/look-at-jobs.ts';
import { lookForColorways } from '../../capabilities/variants/look-for-colorways.ts';
import type { Refs } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { OutcomeOpenError } from '../engine-errors.ts';
import type { NodeContext } from '../node-context.ts';
import type { Answers } from './answers.ts';
import { type Finding, type Look, mayBeUnderWay, orElse } from './looks/finding.ts';
import { leftoversOf } from './looks/leftovers.ts';

/** Reads that show whether a call has worked. Records are no use without the links of their answer: see leftovers. */
const looks: Partial<Record<OperationId, Look>> = {
  createProjects: lookForProjects,
  exportProductionFile: lookForSheets,
  createColorwayBatch: lookForColorways,
  retryColorwayJob: lookForColorwayRestart,
  retryRenderJob: lookForRestart,
  confirmJobUploads: lookForConfirm,
};

type FullAnswer = (intent: Intent, answer: unknown, context: NodeContext) => Promise<Answers>;

/** Reads that show what an answer has left out. */
const fullAnswers: Partial<Record<OperationId, FullAnswer>> = {
  createJob: modelsOfJob,
  createRenders: rendersOfBatch,
  async createProjects(intent, _answer, context) {
    const finding = await lookForProjects(intent, context);
    return finding.is === 'done' ? finding.made : {};
  },
};

/** Whether a call has worked whose answer did not come. What has worked in part may be under way, and is waited for. */
export async function lookFor(intent: Intent, context: NodeContext): Promise<Finding> {
  const look = looks[intent.operation as OperationId];
  if (look === undefined) return { is: 'unknown' };
  const finding = await orElse({ is: 'unknown' }, () => look(intent, context));
  const isPart = finding.is === 'done' && intent.assets.some((key) => !finding.made[key]);
  if (isPart && mayBeUnderWay(intent, context)) throw new OutcomeOpenError(intent);
  return finding;
}

/** What was made for assets that the answer does not mention, though it gives no errors for them either (trap 4). */
export async function withUnmentioned(
  intent: Intent,
  { answer, refs }: { answer: unknown; refs: Answers },
  context: NodeContext,
): Promise<Answers> {
  const read = fullAnswers[intent.operation as OperationId];
  const { errors = [] } = (answer ?? {}) as { errors?: string[] };
  const lacking = intent.assets.filter((key) => refs[key] === undefined);
  if (read === undefined || lacking.length <= errors.length) return refs;
  return { ...(await orElse({}, () => read(intent, answer, context))), ...refs };
}

/** What a call has made that was sent more than once; `is`: what reads have told before the last time. */
export async function withDoubt(
  intent: Intent,
  refs: Answers,
  is: 'undone' | 'unknown',
  context: NodeContext,
): Promise<Answers> {
  // The outputs of two jobs of one project look alike in the list of renders.
  const distrust: Refs = intent.operation === 'createRenders' ? { ownProject: false } : {};
  const leftovers = is === 'unknown' ? await leftoversOf(intent, refs, context) : null;
  const entries = Object.entries(refs).map(([key, made]): [string, Refs] => {
    const words = is === 'unknown' ? perhapsTwice(intent, leftovers?.get(key)) : null;
    return [key, { ...made, ...distrust, ...(words === null ? {} : { perhapsTwice: words }) }];
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
  // Of a call that nobody saw fail its key most likely remembers the answer: only what shows is told.
  if (leftovers === undefined) return hasFailed ? `${sent}, so its work ${twice}` : null;
  if (leftovers.length === 0) return null;
  return `${sent}, and ${leftovers.join(' and ')} of the same name came into being meanwhile, so its work ${twice}; delete what nobody uses`;
}
