// Reserves the renders of a creating call, and gives back what the call has not started.
import type { OperationId } from '../../api/operations/index.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { QuotaReachedError } from '../cost/render-reservations.ts';
import type { NodeContext } from '../node-context.ts';
import { callOptions, type IdsByAsset } from './call-outcome.ts';
import { type Creation, type ResponseTo, sentAs } from './creation.ts';

/** The renders of one call, counted before it is sent. */
interface CallReservation<Id extends OperationId> {
  /** The platform has refused the call. */
  giveBack(): Promise<void>;
  /** Gives back renders that the call has not started. */
  settle(response: ResponseTo<Id>, created: IdsByAsset): Promise<void>;
}

const notCounted = { giveBack: async () => undefined, settle: async () => undefined };

/** True if the call has certainly created nothing: its count does not have it, so it was never sent, or was refused. */
export async function isUncounted(intent: Intent, context: NodeContext): Promise<boolean> {
  const { renderQuota, client } = context;
  if (renderQuota === null || intent.countedIn !== renderQuota.countName) return false;
  // The machine may have slept over the end of the month. Then the platform is asked for the time.
  await client.certainNow(callOptions(context));
  return !(await renderQuota.has(intent));
}

/**
 * Counts the renders of a call before it is sent. A call whose outcome is not known stays counted.
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
  // Otherwise a later run with that count would take the call for one that was never sent.
  if (countedIn !== undefined && countedIn !== renderQuota?.countName)
    await intents.forgetCount(key);
  if (renders === undefined || renderQuota === null) return notCounted;
  await context.client.certainNow(callOptions(context));
  const requested = renders.requested(sentAs(creation, intent));
  const month = await renderQuota.reserve(intent, requested).catch(async (error: unknown) => {
    if (error instanceof QuotaReachedError) {
      // Another attempt may have found room for the call meanwhile.
      await context.confirmLease();
      // The call is not sent later: it is made anew, perhaps for other assets.
      await intents.refuse(key);
    }
    throw error;
  });
  return {
    giveBack: () => renderQuota.correct(month, key, 0),
    async settle(response, created) {
      const started = renders.started(response, created);
      if (started !== null) await renderQuota.correct(month, key, started);
    },
  };
}
