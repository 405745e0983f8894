// Finds calls that earlier attempts of a step sent for some assets, even if the assets were grouped differently.
import { ResponseShapeError } from '../../api/errors/errors.ts';
import { findRefusal, refusesKey } from '../../api/errors/refusal.ts';
import { type OperationId, operations } from '../../api/operations/index.ts';
import type { Asset } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { QuotaReachedError } from '../cost/render-reservations.ts';
import type { NodeContext } from '../node-context.ts';
import { type IdsByAsset, toIdsByAsset } from './call-outcome.ts';
import { type Creation, isIntentForAsset } from './creation.ts';
import { finishCall, type SubmitResult } from './submit-once.ts';

export interface EarlierCall<Id extends OperationId = OperationId> extends SubmitResult<Id> {
  /** Keys of the requested assets that the call included, except those that have a different file or model by now. */
  assetKeys: ReadonlySet<string>;
}

export interface EarlierCalls {
  /** Calls that were not refused, oldest first. All of them are finished by now. */
  calls: EarlierCall[];
  /** Platform ids that the calls have created for these assets. */
  platformIds: IdsByAsset;
  /**
   * Returns the earliest time since which the outcome for an asset is ambiguous. Undefined if no outcome is ambiguous.
   */
  readonly ambiguousSince: (assets: readonly Asset[]) => string | undefined;
}

/**
 * Finishes all unfinished calls that include one of the assets, so that nothing is paid for twice if assets are grouped
 * differently after a reset or after a refused file.
 */
export async function finishEarlierCalls(
  assets: readonly Asset[],
  creations: readonly Creation[],
  context: NodeContext,
): Promise<EarlierCalls> {
  const byKey = new Map(assets.map((asset) => [asset.key, asset]));
  const calls: EarlierCall[] = [];
  const platformIds = toIdsByAsset();
  const ambiguous = new Map<string, string>();
  for (const intent of await context.store.intents(context.shard, context.step.id).list()) {
    const creation = creations.find(({ operation }) => operation === intent.operation);
    if (creation === undefined) continue;
    const ownKeys = intent.assets.filter((key, index) => {
      const asset = byKey.get(key);
      return asset !== undefined && isIntentForAsset(creation, intent, index, asset);
    });
    if (ownKeys.length === 0) continue;
    const call = await finishOrRefuse(intent, creation, context);
    if (call.intent.state !== 'refused') calls.push({ ...call, assetKeys: new Set(ownKeys) });
    for (const key of ownKeys) {
      const createdIds = call.intent.state === 'done' ? call.platformIds[key] : undefined;
      if (createdIds !== undefined) platformIds[key] = createdIds;
      // A call that only completes the work of another call (`of`) creates nothing.
      else if (intent.of === undefined && intent.ambiguousSince !== undefined)
        ambiguous.set(key, intent.ambiguousSince);
    }
  }
  return {
    calls,
    platformIds,
    ambiguousSince: (subset) =>
      subset
        .flatMap(({ key }) => ambiguous.get(key) ?? [])
        .sort()
        .at(0),
  };
}

/** Returns the calls of one creation. */
export function callsOf<Id extends OperationId>(
  { operation }: Creation<Id>,
  { calls }: EarlierCalls,
): EarlierCall<Id>[] {
  const isOfOperation = (call: EarlierCall): call is EarlierCall<Id> =>
    call.intent.operation === operation;
  return calls.filter(isOfOperation);
}

/** Finishes a call. Returns it as refused if its content is refused, the quota is exceeded, or `isUnreadableAlone`. */
async function finishOrRefuse(
  intent: Intent,
  creation: Creation,
  context: NodeContext,
): Promise<SubmitResult> {
  if (intent.state !== 'open')
    return { intent, response: null, platformIds: toIdsByAsset(intent.result) };
  try {
    return await finishCall(intent, creation, context);
  } catch (error) {
    // Other refusals, for example of the API key, are not caused by the content. They are thrown, and the run pauses.
    const refusal = findRefusal(error, ['content', 'missing', 'route']);
    const isHandledRefusal =
      (refusal !== null && refusesKey(refusal)) || error instanceof QuotaReachedError;
    if (!isHandledRefusal && !isUnreadableAlone(error, intent, creation)) throw error;
    return { intent: { ...intent, state: 'refused' }, response: null, platformIds: {} };
  }
}

/**
 * True if the response about a single asset is unreadable, because that must not block other assets. False if no read
 * can show the result of the call, because a new call for the asset would be paid again.
 */
function isUnreadableAlone(error: unknown, { assets }: Intent, { operation }: Creation): boolean {
  const isAlone = error instanceof ResponseShapeError && assets.length === 1;
  return isAlone && operations[operation].retrySafety !== 'none';
}
