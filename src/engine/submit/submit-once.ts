// Creating calls that pay once: the exact bytes and their key are written down before they are sent,
// and whoever meets an unfinished intent sends those bytes under that key before anything else.

import { ApiError, KeyReusedError, ResponseShapeError } from '../../api/errors.ts';
import { bodyText, idempotencyKey } from '../../api/idempotency.ts';
import type { OperationId } from '../../api/operations/index.ts';
import { operations } from '../../api/operations/index.ts';
import type { NodeContext } from '../../nodes/node-context.ts';
import type { Asset, Json, Refs } from '../../plan/types.ts';
import type { Intent } from '../../store/intents.ts';
import { OutcomeUnknownError } from '../engine-errors.ts';
import { type Answers, type AnswerTo, readAnswer } from './answers.ts';

/** Keys die after 24 hours (section 8); a resend must surely arrive before. */
const keyLivesMs = 23 * 3_600_000;
/** Times that a person may resume a run into the same refusal. */
const refusalsAtMost = 100;

export interface Submission<Id extends OperationId = OperationId> {
  operation: Id;
  params?: Record<string, string>;
  body: Json;
  /** In the order of the body's items. */
  assets: readonly Asset[];
  /** Refs that the answer is to be kept with, by asset key. */
  known?: Record<string, Refs>;
  /** Tells one write of a step from another over the same assets: a retry, a resend with new links. */
  epoch: number;
  /** Name of the write within the step, part of the key. */
  purpose: string;
}

export interface Submitted<Id extends OperationId = OperationId> {
  intent: Intent;
  /** The live answer with its signed links; null when an earlier attempt had got or abandoned it. */
  answer: AnswerTo<Id> | null;
  refs: Answers;
}

/** Sends a creating call, or finds that it was sent before. */
export async function submitOnce<Id extends OperationId>(
  submission: Submission<Id>,
  context: NodeContext,
): Promise<Submitted<Id>> {
  const log = context.store.intents(context.shard, context.step.id);
  for (let refusals = 0; refusals < refusalsAtMost; refusals += 1) {
    const { intent } = await log.begin({
      operation: submission.operation,
      key: keyOf(submission, refusals, context),
      bodyText: submission.body === null ? '' : bodyText(submission.body),
      ...(submission.params ? { params: submission.params } : {}),
      assets: submission.assets.map((asset) => asset.key),
      ...(submission.known ? { known: submission.known } : {}),
      createdAt: new Date(context.now()).toISOString(),
    });
    if (intent.state === 'done' || intent.state === 'abandoned') {
      return { intent, answer: null, refs: intent.answer ?? {} };
    }
    // A refused key would repeat its refusal for a day, though the reason may be gone.
    if (intent.state !== 'refused') return sendIntent(submission.operation, intent, context);
  }
  throw new Error(
    `${submission.operation} was refused ${refusalsAtMost} times; start a new run once the reason is gone`,
  );
}

function keyOf(submission: Submission, refusals: number, { run, step }: NodeContext): string {
  const again = refusals === 0 ? '' : `/again-${refusals}`;
  return idempotencyKey({
    lineage: run.lineage,
    step: `${step.id}/${submission.purpose}${again}`,
    assets: submission.assets.map(({ key, source }) => `${key}@${source.version}`),
    epoch: run.epoch * 1_000 + submission.epoch,
  });
}

/** Sends an intent's bytes under its key and writes down what came of it. */
async function sendIntent<Id extends OperationId>(
  operation: Id,
  intent: Intent,
  context: NodeContext,
): Promise<Submitted<Id>> {
  const log = context.store.intents(context.shard, context.step.id);
  try {
    const { answer, refs: made } = await resend(operation, intent, context);
    const refs = intent.doubtful ? perhapsTwice(made, intent) : made;
    return { intent: await log.finish(intent.key, refs), answer, refs };
  } catch (error) {
    if (isRefusal(error)) await log.refuse(intent.key);
    else if (error instanceof ApiError && error.status === 500) await log.doubt(intent.key);
    throw error;
  }
}

/** Keys do not remember answers of 500 (section 8), so nobody can tell whether the first try worked too. */
function perhapsTwice(refs: Answers, { operation }: Intent): Answers {
  // The outputs of two jobs of one project look alike in the list of renders.
  const doubt: Refs = {
    perhapsTwice: operation,
    ...(operation === 'createRenders' ? { ownProject: false } : {}),
  };
  const entries = Object.entries(refs).map(([key, made]) => [key, { ...made, ...doubt }]);
  return Object.fromEntries(entries) as Answers;
}

/** The platform has looked at the request and made nothing of it. A key that is reused says nothing of what it made. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    !(error instanceof KeyReusedError) &&
    [400, 403, 404, 405, 413, 415, 422].includes(error.status)
  );
}

/** The call alone: also used to get the signed links of a finished intent again, which the key replays. */
export async function resend<Id extends OperationId>(
  operation: Id,
  intent: Intent,
  context: NodeContext,
): Promise<{ answer: AnswerTo<Id>; refs: Answers }> {
  const ageMs = context.now() - Date.parse(intent.createdAt);
  if (ageMs > keyLivesMs && operations[operation].proof === 'none')
    throw new OutcomeUnknownError(intent);
  const { output, meta } = await context.client.send(
    operation,
    intent.params ? { params: intent.params } : {},
    {
      idempotencyKey: intent.key,
      ...(intent.bodyText === '' ? {} : { bodyText: intent.bodyText }),
      priority: 'create',
      scope: context.requests,
      signal: context.signal,
    },
  );
  const at = new Date(meta.date ?? context.now()).toISOString();
  return { answer: output, refs: readAnswer(operation, intent, output, at) };
}

/**
 * What earlier attempts of this step have already created for these assets. Unfinished intents that
 * touch one of them are sent first, so that a regrouping after a reset pays nothing twice.
 */
export async function alreadySubmitted(
  assets: readonly Asset[],
  operation: OperationId,
  context: NodeContext,
): Promise<Answers> {
  const wanted = new Set(assets.map(({ key }) => key));
  const found: Answers = {};
  for (const intent of await context.store.intents(context.shard, context.step.id).list()) {
    if (intent.operation !== operation || !intent.assets.some((key) => wanted.has(key))) continue;
    if (intent.state === 'abandoned' || intent.state === 'refused') continue;
    const refs =
      intent.state === 'done'
        ? (intent.answer ?? {})
        : await refsOfOpen(operation, intent, context);
    for (const [key, patch] of Object.entries(refs)) if (wanted.has(key)) found[key] = patch;
  }
  return found;
}

/** What an unfinished call creates now; nothing where the platform finds fault with its content. */
async function refsOfOpen(
  operation: OperationId,
  intent: Intent,
  context: NodeContext,
): Promise<Answers> {
  try {
    return (await sendIntent(operation, intent, context)).refs;
  } catch (error) {
    if (isRefusal(error) && !isRunCause(error)) return {};
    if (isItsOwn(error, intent) && operations[operation].proof !== 'none') return {};
    throw error;
  }
}

/**
 * What a call for one asset made cannot be read, which must not hold up others. Where nothing lists what it made it
 * does all the same: doing it again with others would be paid for again.
 */
function isItsOwn(error: unknown, { assets }: Intent): boolean {
  return error instanceof ResponseShapeError && assets.length === 1;
}

/** A 403 belongs to the run, not to the content: it pauses. */
function isRunCause(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
