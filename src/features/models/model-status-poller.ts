import type { CallOptions, Client } from '../../api/client.ts';
import { readyStatuses } from '../../api/operations/models.ts';
import { mapItemsById } from '../../engine/polling/map-items-by-id.ts';
import { readEachPage } from '../../engine/polling/read-each.ts';
import { shareStatusPoller } from '../../engine/polling/status-poller.ts';
import { chunks } from '../../plan/helpers/chunks.ts';

export interface ModelPollResult {
  status: string;
  ready: boolean;
  /** Reason of a failed import. The platform reports none for uploads. */
  error?: string;
}

const idsPerRequest = 100;
/** Statuses without a documented transition. A wait for such a model would never end. */
const deadEndStatuses = new Set(['FAILED', 'MODEL_REJECTED', 'MODEL_REQUIRED']);

const readyStatusNames: readonly string[] = readyStatuses;

/** True if the status or the `ready` flag shows that the model is ready. A dead-end status overrides the flag. */
function isModelReady(status: string, isReportedReady: boolean | undefined): boolean {
  if (readyStatusNames.includes(status)) return true;
  return isReportedReady === true && !deadEndStatuses.has(status);
}

/** True if the model is ready or will never be ready. A model that is not found (null) may not be visible yet. */
export function isModelFinished(result: ModelPollResult | null): boolean {
  return result !== null && (result.ready || deadEndStatuses.has(result.status));
}

/** Returns results by model id, null for models not in the workspace. Omits models that no response mentions. */
export function pollModels(
  client: Client,
  modelIds: readonly string[],
  options: CallOptions,
): Promise<Map<string, ModelPollResult | null>> {
  return readEachPage(chunks(modelIds, idsPerRequest), async (ids) => {
    const body = { modelIds: [...ids] };
    const { models, notFound = [] } = await client.checkModelStatus({ body }, options);
    const results = new Map<string, ModelPollResult | null>();
    for (const id of mapItemsById(ids, notFound, (modelId) => modelId).keys())
      results.set(id, null);
    // A model with a status exists, even if the response also lists it as not found, so it is not null.
    for (const { modelId } of models) results.delete(modelId);
    const modelById = mapItemsById(ids, models, ({ modelId }) => modelId);
    for (const [modelId, { status, ready: isReportedReady, error }] of modelById) {
      const result = { status, ready: isModelReady(status, isReportedReady) };
      results.set(modelId, { ...result, ...(error === undefined ? {} : { error }) });
    }
    return results;
  });
}

/** Results are keyed by model id. */
export const modelStatusPoller = shareStatusPoller<string, ModelPollResult | null>(
  ({ client }) => ({
    name: 'models',
    idOf: (modelId) => modelId,
    isFinished: isModelFinished,
    pageSize: idsPerRequest,
    reads: 'page',
    wakeUps: { kind: 'model', idOf: (modelId) => modelId },
    read: (modelIds, { options }) => pollModels(client, modelIds, options),
  }),
);
