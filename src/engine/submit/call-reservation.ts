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

/**
 * Counts the renders of a call before it is sent. A call whose outcome is not known stays counted.
 * @param earlier see `sendCall`
 * @throws QuotaReachedError
 */
export async function reserveRenders<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  earlier: 'first' | 'not-done' | 'unknown',
  context: NodeContext,
): Promise<CallReservation<Id>> {
  const { renderQuota, store, shard, step } = context;
  const { renders } = creation;
  if (renders === undefined || renderQuota === null) return notCounted;
  // The machine may have slept over the end of the month. Then the platform is asked for the time.
  await context.client.certainNow(callOptions(context));
  const { key } = intent;
  const requested = renders.requested(sentAs(creation, intent));
  const month = await renderQuota.reserve(intent, requested).catch(async (error: unknown) => {
    // A call that was never sent is not sent later: it is made anew, perhaps for other assets.
    const isUnsent = error instanceof QuotaReachedError && earlier === 'first';
    if (isUnsent) await store.intents(shard, step.id).refuse(key);
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
