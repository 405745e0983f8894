// Reserves the renders of a creating call, and returns to the quota those that the call did not start.
import type { OperationId } from '../../api/operations/index.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { QuotaReachedError } from '../cost/render-reservations.ts';
import type { NodeContext } from '../node-context.ts';
import { callOptions, type IdsByAsset } from './call-outcome.ts';
import { type Creation, parseCall, type ResponseTo } from './creation.ts';

/** The renders of one call, counted before it is sent. */
interface CallReservation<Id extends OperationId> {
  /** Returns all renders to the quota, because the platform refused the call. */
  giveBack(): Promise<void>;
  /** Returns to the quota the renders that the call has not started. */
  settle(response: ResponseTo<Id>, idsByAsset: IdsByAsset): Promise<void>;
}

const notCounted = { giveBack: async () => undefined, settle: async () => undefined };

/**
 * True if the call has certainly created nothing, so that its renders are not counted. A call is counted before it is
 * sent, and the count is reversed only if the platform refuses the call.
 */
export async function isUncountedCall(intent: Intent, context: NodeContext): Promise<boolean> {
  const { renderQuota, client } = context;
  if (renderQuota === null || intent.countedIn !== renderQuota.countName) return false;
  // If the machine may have slept, perhaps over the end of a month, this reads the time from the platform.
  await client.certainNow(callOptions(context));
  return !(await renderQuota.has(intent));
}

/**
 * Counts the renders of a call before the call is sent. A call whose outcome remains unknown remains counted.
 * @throws QuotaReachedError after refusing the intent
 */
export async function reserveRenders<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  context: NodeContext,
): Promise<CallReservation<Id>> {
  const { renderQuota, store, shard, step } = context;
  const { renders } = creation;
  const { key, countedIn } = intent;
  const intents = store.intents(shard, step.id);
  // This run does not use the intent's count. A later run that does must not conclude that the call was never sent.
  if (countedIn !== undefined && countedIn !== renderQuota?.countName)
    await intents.forgetCount(key);
  if (renders === undefined || renderQuota === null) return notCounted;
  await context.client.certainNow(callOptions(context));
  const requestedRenders = renders.requested(parseCall(creation, intent));
  const month = await renderQuota
    .reserve(intent, requestedRenders)
    .catch(async (error: unknown) => {
      if (error instanceof QuotaReachedError) {
        // Another attempt may have reserved renders for the call in the meantime.
        await context.confirmLease();
        // The intent is not sent later, because a later attempt sends another call, perhaps for other assets.
        await intents.refuse(key);
      }
      throw error;
    });
  return {
    giveBack: () => renderQuota.correct(month, key, 0),
    async settle(response, idsByAsset) {
      const startedRenders = renders.started(response, idsByAsset);
      if (startedRenders !== null) await renderQuota.correct(month, key, startedRenders);
    },
  };
}
