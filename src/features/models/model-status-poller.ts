// Polls models for all waits of a worker: 100 ids per request, shared by all shards.

import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { readyStatuses } from '../../api/operations/models.ts';
import { Batcher } from '../../engine/polling/batcher.ts';
import { itemsById } from '../../engine/polling/items-by-id.ts';
import { PollCoordinator } from '../../engine/polling/poll-coordinator.ts';
import { pollGapMs } from '../../engine/polling/poll-interval.ts';
import { sharedPerPoller } from '../../engine/polling/poller-context.ts';
import { readEach } from '../../engine/polling/read-each.ts';
import { createWakeUpOptions, restMs } from '../../engine/polling/wake-up-options.ts';
import { chunks } from '../../plan/helpers/chunks.ts';

export interface ModelPollResult {
  status: string;
  ready: boolean;
  /** Reason of a failed import. The platform gives none for uploads. */
  error?: string;
}

interface PollRequest {
  modelId: string;
  requests: RequestCounter;
}

const idsPerRequest = 100;
/** Statuses without a documented transition; waiting on them would never end. */
const deadEndStatuses = new Set(['FAILED', 'MODEL_REJECTED', 'MODEL_REQUIRED']);

const ready: readonly string[] = readyStatuses;

/** Either the status or the `ready` flag suffices, but a dead-end status overrules the flag. */
function isReady(status: string, flag: boolean | undefined): boolean {
  return ready.includes(status) || (flag === true && !deadEndStatuses.has(status));
}

/** True if the model is ready or never will be. A model that is not found (null) may not be visible yet. */
export function isModelFinished(result: ModelPollResult | null): boolean {
  return result !== null && (result.ready || deadEndStatuses.has(result.status));
}

export class ModelStatusPoller {
  readonly #client: Client;
  readonly #batcher: Batcher<PollRequest, Map<string, ModelPollResult | null>>;

  /** @param batchWindowMs how long to collect requests of other callers into one batch */
  constructor(client: Client, batchWindowMs = 40) {
    this.#client = client;
    this.#batcher = new Batcher(batchWindowMs, (pollRequests) => this.#read(pollRequests));
  }

  /** Number of requests to poll this number of models. */
  static requestsFor(models: number): number {
    return Math.ceil(models / idsPerRequest);
  }

  /**
   * Results by model id; null for models that are not in the workspace. A full page is requested at once.
   * @param batchWindowMs how long to wait for other callers; defaults to the constructor's value
   */
  poll(
    modelIds: readonly string[],
    requests: RequestCounter,
    batchWindowMs?: number,
  ): Promise<Map<string, ModelPollResult | null>> {
    const pollRequests = modelIds.map((modelId) => ({ modelId, requests }));
    if (pollRequests.length === idsPerRequest) return this.#read(pollRequests);
    return this.#batcher.request(pollRequests, batchWindowMs);
  }

  async #read(pollRequests: PollRequest[]): Promise<Map<string, ModelPollResult | null>> {
    const ids = [...new Set(pollRequests.map(({ modelId }) => modelId))];
    // A shared request is counted once, for the run that asked first.
    const requests = pollRequests[0]?.requests;
    const pages = chunks(ids, idsPerRequest);
    const looks = await readEach(pages, (modelIds) => this.#readPage(modelIds, requests));
    return new Map([...looks.values()].flatMap((page) => [...page]));
  }

  /** Models that the response does not mention are left out. */
  async #readPage(
    modelIds: string[],
    requests: RequestCounter | undefined,
  ): Promise<Map<string, ModelPollResult | null>> {
    const { models, notFound = [] } = await this.#client.checkModelStatus(
      { body: { modelIds } },
      { priority: 'status', ...(requests ? { scope: requests } : {}) },
    );
    const looks = new Map<string, ModelPollResult | null>();
    const gone = itemsById(modelIds, notFound, (modelId) => modelId);
    for (const modelId of gone.keys()) looks.set(modelId, null);
    // A model with a status exists, even if the response also lists it as not found.
    for (const { modelId } of models) looks.delete(modelId);
    for (const [modelId, { status, ready: flag, error }] of itemsById(
      modelIds,
      models,
      (model) => model.modelId,
    )) {
      const poll = { status, ready: isReady(status, flag) };
      looks.set(modelId, { ...poll, ...(error === undefined ? {} : { error }) });
    }
    return looks;
  }
}

/** Results are keyed by model id; null for models that are not in the workspace. */
export const modelPollCoordinator = sharedPerPoller((pollerContext) => {
  const { client, wakeUps, lagMonitor, now } = pollerContext;
  const poller = new ModelStatusPoller(client);
  return new PollCoordinator<string, ModelPollResult | null>({
    name: 'models',
    idOf: (modelId) => modelId,
    poll: (ids, requests, hinted) =>
      poller.poll(ids, requests, hinted.size === ids.length ? 0 : undefined),
    isFinished: isModelFinished,
    lagMonitor,
    minGapMs: (items) => pollGapMs(client.pollBudget, ModelStatusPoller.requestsFor(items)),
    throttle: {
      pollBudget: client.pollBudget,
      requestsFor: (models) => ModelStatusPoller.requestsFor(models),
      pageSize: idsPerRequest,
      pollsByPage: true,
    },
    wakeUps: {
      ...createWakeUpOptions(
        pollerContext,
        (modelId: string) => `model/${modelId}`,
        (open) => ModelStatusPoller.requestsFor(open),
      ),
      restMs: (open) =>
        wakeUps.isReliable('model') ? restMs(ModelStatusPoller.requestsFor(open)) : 0,
      pollsAllItems: false,
    },
    now,
  });
});
