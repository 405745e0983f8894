// Sends creating calls so that each is paid for only once. The body's exact bytes and idempotency key are written to an
// intent before they are sent. An attempt that finds an unfinished intent finishes it before it sends anything else.

import { findRefusal, refusesKey } from '../../api/errors/refusal.ts';
import { classify, outcomeOfError } from '../../api/errors/retry.ts';
import type { OperationId } from '../../api/operations/index.ts';
import { operations } from '../../api/operations/index.ts';
import { createIdempotencyKey, toRequestBodyText } from '../../api/requests/idempotency-key.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Asset } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { OutcomeUnknownError } from '../engine-errors.ts';
import type { NodeContext } from '../node-context.ts';
import { addUnmentioned, markAmbiguous, resolveOutcome } from './ambiguous-outcome.ts';
import { callOptions, type IdsByAsset, toIdsByAsset, writeOptions } from './call-outcome.ts';
import { isUncountedCall, reserveRenders } from './call-reservation.ts';
import { type BodyOf, type Creation, parseCall, type ResponseTo } from './creation.ts';
import { replaceSharedIds } from './shared-ids.ts';

/** Maximum age of an idempotency key with which a call is sent again. The platform forgets keys after 24 hours. */
const keyLifetimeMs = 23 * 3_600_000;
/** Maximum number of times that the same call may be refused, each time after a person has resumed the run. */
const maxRefusals = 100;

export interface Submission<Id extends OperationId = OperationId> {
  creation: Creation<Id>;
  params?: Record<string, string>;
  body: BodyOf<Id>;
  /** The assets of the call, in the order of the body's items. */
  assets: readonly Asset[];
  /** Platform ids, by asset key, that are stored together with those of the response. */
  known?: Record<string, PlatformIds>;
  /** Idempotency key of the call whose work this call completes. */
  of?: string;
  /** Time since which an earlier call may have done this work, with an ambiguous outcome (`EarlierCalls`). */
  ambiguousSince?: string | undefined;
  /** Distinguishes repeated calls of a step for the same assets, such as a retry or a call for new links. @default 0 */
  epoch?: number;
  /** Name of the call within the step. It is part of the idempotency key. */
  purpose: string;
}

export interface SubmitResult<Id extends OperationId = OperationId> {
  intent: Intent;
  /** The response with its signed links. Null if the result comes from an earlier attempt or from reads. */
  response: ResponseTo<Id> | null;
  platformIds: IdsByAsset;
}

/** Sends a creating call, or returns the stored result of the same call. */
export async function submitOnce<Id extends OperationId>(
  submission: Submission<Id>,
  context: NodeContext,
): Promise<SubmitResult<Id>> {
  const { creation, body, params, assets, known, of, epoch = 0 } = submission;
  const { operation, takesFiles } = creation;
  const log = context.store.intents(context.shard, context.step.id);
  const countedIn = creation.renders && context.renderQuota?.countName;
  let { ambiguousSince } = submission;
  // The time must be certain, because a wrong time after sleep could make the new key seem expired.
  const createdAt = new Date(await context.client.certainNow(callOptions(context))).toISOString();
  for (let refusals = 0; refusals < maxRefusals; refusals += 1) {
    const { intent, isExisting } = await log.open({
      operation,
      key: createCallKey(submission, refusals, context),
      bodyText: body === null ? '' : toRequestBodyText(body),
      assets: assets.map((asset) => asset.key),
      ...(takesFiles ? { versions: assets.map(({ source }) => source.version) } : {}),
      ...(epoch === 0 ? {} : { epoch }),
      ...omitUndefined({ params, known, of, ambiguousSince, countedIn }),
      createdAt,
    });
    if (intent.state === 'done' || intent.state === 'abandoned') {
      return { intent, response: null, platformIds: toIdsByAsset(intent.result) };
    }
    // For a day, the platform replays a refusal under the same key, even if its cause is fixed, so the key is replaced.
    if (intent.state !== 'refused') {
      return isExisting || ambiguousSince !== undefined
        ? finishCall(intent, creation, context)
        : sendCall(intent, creation, 'first', context);
    }
    ambiguousSince ??= intent.ambiguousSince;
  }
  throw new Error(
    `the platform refused ${operation} ${maxRefusals} times; fix the reason, then start a new run`,
  );
}

function createCallKey(
  submission: Submission,
  refusals: number,
  { run, step }: NodeContext,
): string {
  const suffix = refusals === 0 ? '' : `/again-${refusals}`;
  return createIdempotencyKey({
    lineage: run.lineage,
    step: `${step.id}/${submission.purpose}${suffix}`,
    assets: submission.assets.map(({ key, source }) => `${key}@${source.version}`),
    epoch: run.epoch * 1_000 + (submission.epoch ?? 0),
  });
}

/**
 * Finishes a call that another attempt has started and perhaps sent. The call is sent unless reads show its result.
 * @throws QuotaReachedError after refusing the intent, because the call was never sent
 */
export async function finishCall<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  context: NodeContext,
): Promise<SubmitResult<Id>> {
  const isUnsent = await isUncountedCall(intent, context);
  const isFirst =
    intent.ambiguousSince === undefined && (isUnsent || context.store.unsent.has(intent.key));
  const outcome = isFirst
    ? { state: 'first' as const }
    : await resolveOutcome(intent, creation, context);
  if (outcome.state !== 'done') {
    if (!isUnsent) await assertKeyRemembered(intent, creation, context);
    return sendCall(intent, creation, outcome.state, context);
  }
  const ownIds = await replaceSharedIds(intent, creation, outcome.created, context);
  const platformIds = withCreationTime(ownIds, context);
  return { intent: await finish(intent, platformIds, context), response: null, platformIds };
}

/**
 * @throws OutcomeUnknownError if the idempotency key has expired (so that sending the call again might pay twice), no
 * read can show the result, and no person has started a rerun
 */
async function assertKeyRemembered(
  intent: Intent,
  { operation }: Creation,
  context: NodeContext,
): Promise<void> {
  if (operations[operation].retrySafety !== 'none') return;
  // An inherited intent of a rerun is accepted, because only a person starts a rerun, after a check on the platform.
  if (intent.isInherited && context.run.epoch > 0) return;
  const nowMs = await context.client.certainNow(callOptions(context));
  if (nowMs - Date.parse(intent.createdAt) > keyLifetimeMs) throw new OutcomeUnknownError(intent);
}

/**
 * Stores the result if this attempt still holds the lease. Otherwise, the intent stays open, because the run that has
 * taken over the assets may already have read their state. That run finds the open intent, and gets the result by
 * resending it under the same key or by reads.
 */
async function finish(
  { key }: Intent,
  idsByAsset: IdsByAsset,
  context: NodeContext,
): Promise<Intent> {
  await context.confirmLease();
  return context.store.intents(context.shard, context.step.id).finish(key, idsByAsset);
}

/**
 * Sends an intent's bytes under its idempotency key and stores the result. A first attempt is sent only if the server
 * confirms the lease after the intent was written. A run that takes over the assets later is then sure to see the
 * intent.
 * @param earlierState outcome of an earlier attempt, as reads show it, or `first` if there was none
 */
async function sendCall<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  earlierState: 'first' | 'not-done' | 'unknown',
  context: NodeContext,
): Promise<SubmitResult<Id>> {
  const reservation = await reserveRenders(intent, creation, context);
  if (earlierState === 'first') await context.confirmLease();
  const sendResult = await resend(intent, creation, context).catch(async (error: unknown) => {
    const refusal = findRefusal(error);
    const isRefused =
      earlierState === 'first'
        ? refusal !== null || classify(error).kind === 'run-cause'
        : refusal !== null && refusesKey(refusal);
    if (isRefused && intent.ambiguousSince === undefined) await reservation.giveBack();
    await recordFailure(intent, error, isRefused, context);
    if (earlierState === 'first' && outcomeOfError(error) === 'nothing')
      context.store.unsent.add(intent.key);
    throw error;
  });
  const createdIds = await addUnmentioned(intent, creation, sendResult, context);
  await reservation.settle(sendResult.response, createdIds);
  const marked =
    earlierState === 'first'
      ? createdIds
      : await markAmbiguous(intent, creation, createdIds, earlierState, context);
  const ownIds = await replaceSharedIds(intent, creation, marked, context);
  const platformIds = withCreationTime(ownIds, context);
  context.store.unsent.delete(intent.key);
  const finishedIntent = await finish(intent, platformIds, context);
  return { intent: finishedIntent, response: sendResult.response, platformIds };
}

/** Adds the creation time, because new resources may not be visible everywhere yet. */
function withCreationTime(idsByAsset: IdsByAsset, context: NodeContext): IdsByAsset {
  const lastCreatedAtMs = context.now();
  const withTime = (platformIds: PlatformIds) => ({ ...platformIds, lastCreatedAtMs });
  const entries = Object.entries(idsByAsset);
  const withTimes = entries.map(([key, platformIds]) => [key, withTime(platformIds)] as const);
  return toIdsByAsset(Object.fromEntries(withTimes));
}

async function recordFailure(
  { key }: Intent,
  error: unknown,
  isRefused: boolean,
  { store, shard, step }: NodeContext,
): Promise<void> {
  const log = store.intents(shard, step.id);
  store.unsent.delete(key);
  if (isRefused) await log.refuse(key);
  else if (outcomeOfError(error) === 'perhaps') await log.markAmbiguous(key);
}

/** Sends the call and stores nothing. For a finished intent, the platform replays the response with signed links. */
export async function resend<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  context: NodeContext,
): Promise<{ response: ResponseTo<Id>; platformIds: IdsByAsset }> {
  const { output, meta } = await context.client.send(
    creation.operation,
    intent.params ? { params: intent.params } : {},
    {
      idempotencyKey: intent.key,
      ...(intent.bodyText === '' ? {} : { bodyText: intent.bodyText }),
      ...writeOptions(context),
    },
  );
  const respondedAt = new Date(meta.platformAtMs ?? context.now()).toISOString();
  return {
    response: output,
    platformIds: creation.readIds(parseCall(creation, intent), output, respondedAt),
  };
}
