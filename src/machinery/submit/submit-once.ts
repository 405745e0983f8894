// Creating calls that pay once: the exact bytes and their key are written down before they are sent,
// and whoever meets an unfinished intent sends those bytes under that key before anything else.

import { bodyText, idempotencyKey } from '../../api/idempotency.ts';
import type { OperationId } from '../../api/operations/index.ts';
import { operations } from '../../api/operations/index.ts';
import { refusalOf } from '../../api/refusal.ts';
import { workOf } from '../../api/retry.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Asset } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { OutcomeUnknownError } from '../engine-errors.ts';
import type { NodeContext } from '../node-context.ts';
import { type AnswerTo, type BodyOf, type Creation, sentAs } from './creation.ts';
import { lookFor, withDoubt, withUnmentioned } from './doubt.ts';
import type { Answers } from './finding.ts';
import { withoutShared } from './shared-ids.ts';

/** Keys die after 24 hours (platform.md, section 8); a resend must surely arrive before. */
const keyLivesMs = 23 * 3_600_000;
/** Times that a person may resume a run into the same refusal. */
const refusalsAtMost = 100;

export interface Submission<Id extends OperationId = OperationId> {
  creation: Creation<Id>;
  params?: Record<string, string>;
  body: BodyOf<Id>;
  /** In the order of the body's items. */
  assets: readonly Asset[];
  /** Refs that the answer is to be kept with, by asset key. */
  known?: Record<string, Refs>;
  /** Key of the call whose work this one ends. */
  of?: string;
  /** Since when another call may have done this work without telling (`EarlierCalls`). */
  doubtSince?: string | undefined;
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
  const { creation, body, params, assets, known, of, epoch } = submission;
  const { operation, takesFiles } = creation;
  const log = context.store.intents(context.shard, context.step.id);
  let { doubtSince } = submission;
  for (let refusals = 0; refusals < refusalsAtMost; refusals += 1) {
    const { intent, existing } = await log.begin({
      operation,
      key: keyOf(submission, refusals, context),
      bodyText: body === null ? '' : bodyText(body),
      ...(params ? { params } : {}),
      assets: assets.map((asset) => asset.key),
      ...(takesFiles ? { versions: assets.map(({ source }) => source.version) } : {}),
      ...(known ? { known } : {}),
      ...(epoch === 0 ? {} : { epoch }),
      ...(of === undefined ? {} : { of }),
      ...(doubtSince === undefined ? {} : { doubtSince }),
      createdAt: new Date(context.now()).toISOString(),
    });
    if (intent.state === 'done' || intent.state === 'abandoned') {
      return { intent, answer: null, refs: intent.answer ?? {} };
    }
    // A refused key would repeat its refusal for a day, though the reason may be gone.
    if (intent.state !== 'refused') {
      return existing || doubtSince !== undefined
        ? settleCall(intent, creation, context)
        : sendCall(intent, creation, 'first', context);
    }
    doubtSince ??= intent.doubtSince;
  }
  throw new Error(
    `${operation} was refused ${refusalsAtMost} times; start a new run once the reason is gone`,
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

/** Ends a call that somebody has begun, and perhaps sent: it is sent again unless reads show what it has made. */
export async function settleCall<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  context: NodeContext,
): Promise<Submitted<Id>> {
  if (intent.doubtSince === undefined && context.store.unsent.has(intent.key)) {
    return sendCall(intent, creation, 'first', context);
  }
  const finding = await lookFor(intent, creation, context);
  if (finding.is !== 'done') return sendCall(intent, creation, finding.is, context);
  const own = await withoutShared(intent, creation, finding.made, context);
  const made = stamped(own, context);
  return { intent: await finish(intent, made, context), answer: null, refs: made };
}

/**
 * Where the attempt does not count any more the intent stays open: the run that has taken the assets over has read their
 * state, and would not read this. It meets the open intent and gets the same answer under its key, or finds its work.
 */
async function finish({ key }: Intent, made: Answers, context: NodeContext): Promise<Intent> {
  await context.confirmLease();
  return context.store.intents(context.shard, context.step.id).finish(key, made);
}

/**
 * Sends an intent's bytes under its key and writes down what came of it. A new one goes only where the server says, after
 * the intent was written, that this attempt counts: who takes the assets over of a run that ends later sees it.
 * @param found what reads tell of an earlier time; `first`: there was none
 */
async function sendCall<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  found: 'first' | 'undone' | 'unknown',
  context: NodeContext,
): Promise<Submitted<Id>> {
  if (found === 'first') await context.confirmLease();
  const sent = await resend(intent, creation, context).catch(async (error: unknown) => {
    await noteFailure(intent, error, context);
    if (found === 'first' && workOf(error) === 'nothing') context.store.unsent.add(intent.key);
    throw error;
  });
  const made = await withUnmentioned(intent, creation, sent, context);
  const told = found === 'first' ? made : await withDoubt(intent, creation, made, found, context);
  const refs = stamped(await withoutShared(intent, creation, told, context), context);
  context.store.unsent.delete(intent.key);
  return { intent: await finish(intent, refs, context), answer: sent.answer, refs };
}

/** New objects may not show everywhere yet. */
function stamped(made: Answers, context: NodeContext): Answers {
  const madeAtMs = context.now();
  return Object.fromEntries(
    Object.entries(made).map(([key, refs]) => [key, { ...refs, madeAtMs }]),
  );
}

async function noteFailure(
  { key }: Intent,
  error: unknown,
  { store, shard, step }: NodeContext,
): Promise<void> {
  const log = store.intents(shard, step.id);
  store.unsent.delete(key);
  if (refusalOf(error)) await log.refuse(key);
  else if (workOf(error) === 'perhaps') await log.doubt(key);
}

/** The call alone: also used to get the signed links of a finished intent again, which the key replays. */
export async function resend<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  context: NodeContext,
): Promise<{ answer: AnswerTo<Id>; refs: Answers }> {
  const { operation } = creation;
  const call = { priority: 'create', scope: context.requests, signal: context.signal } as const;
  if (operations[operation].proof === 'none') {
    const ageMs = (await context.client.certainNow(call)) - Date.parse(intent.createdAt);
    if (ageMs > keyLivesMs) throw new OutcomeUnknownError(intent);
  }
  await context.holdLease();
  const { output, meta } = await context.client.send(
    operation,
    intent.params ? { params: intent.params } : {},
    {
      idempotencyKey: intent.key,
      ...(intent.bodyText === '' ? {} : { bodyText: intent.bodyText }),
      ...call,
    },
  );
  const at = new Date(meta.date ?? context.now()).toISOString();
  return { answer: output, refs: creation.refs(sentAs(creation, intent), output, at) };
}
