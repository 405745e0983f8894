// Polls models for all waits of a worker: 100 ids per request, shared by all shards.

import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { readyStatuses } from '../../api/operations/models.ts';
import { Gather } from '../../machinery/watch/gather.ts';
import { hintsBy, restMs } from '../../machinery/watch/hint-watch.ts';
import { shared } from '../../machinery/watch/lookout.ts';
import { readEach } from '../../machinery/watch/read-each.ts';
import { TickWatch } from '../../machinery/watch/tick-watch.ts';
import { lookGapMs } from '../../machinery/watch/ticks.ts';
import { toldOf } from '../../machinery/watch/told-of.ts';
import { chunks } from '../../plan/chunks.ts';

export interface ModelLook {
  status: string;
  ready: boolean;
  /** Reason of a failed import. The platform gives none for uploads. */
  error?: string;
}

interface Question {
  modelId: string;
  requests: RequestCounter;
}

const idsPerRequest = 100;
/** Statuses without a documented transition; waiting on them would never end. */
const deadEnds = new Set(['FAILED', 'MODEL_REJECTED', 'MODEL_REQUIRED']);

const ready: readonly string[] = readyStatuses;

/** Either the status or the `ready` flag suffices, but a dead-end status overrules the flag. */
function isReady(status: string, flag: boolean | undefined): boolean {
  return ready.includes(status) || (flag === true && !deadEnds.has(status));
}

/** True if the model is ready or never will be. A model that is not found (null) may not be visible yet. */
export function isModelOver(look: ModelLook | null): boolean {
  return look !== null && (look.ready || deadEnds.has(look.status));
}

export class ModelBoard {
  readonly #client: Client;
  readonly #gather: Gather<Question, Map<string, ModelLook | null>>;

  /** @param windowMs how long to collect requests of other callers into one batch */
  constructor(client: Client, windowMs = 40) {
    this.#client = client;
    this.#gather = new Gather(windowMs, (questions) => this.#read(questions));
  }

  /** Number of requests to poll this number of models. */
  static requestsFor(models: number): number {
    return Math.ceil(models / idsPerRequest);
  }

  /**
   * Results by model id; null for models that are not in the workspace. A full page is requested at once.
   * @param windowMs how long to wait for other callers; defaults to the constructor's value
   */
  look(
    modelIds: readonly string[],
    requests: RequestCounter,
    windowMs?: number,
  ): Promise<Map<string, ModelLook | null>> {
    const questions = modelIds.map((modelId) => ({ modelId, requests }));
    if (questions.length === idsPerRequest) return this.#read(questions);
    return this.#gather.ask(questions, windowMs);
  }

  async #read(questions: Question[]): Promise<Map<string, ModelLook | null>> {
    const ids = [...new Set(questions.map(({ modelId }) => modelId))];
    // A shared request is counted once, for the run that asked first.
    const requests = questions[0]?.requests;
    const pages = chunks(ids, idsPerRequest);
    const looks = await readEach(pages, (modelIds) => this.#readPage(modelIds, requests));
    return new Map([...looks.values()].flatMap((page) => [...page]));
  }

  /** Models that the response does not mention are left out. */
  async #readPage(
    modelIds: string[],
    requests: RequestCounter | undefined,
  ): Promise<Map<string, ModelLook | null>> {
    const { models, notFound = [] } = await this.#client.checkModelStatus(
      { body: { modelIds } },
      { priority: 'status', ...(requests ? { scope: requests } : {}) },
    );
    const looks = new Map<string, ModelLook | null>();
    const gone = toldOf(modelIds, notFound, (modelId) => modelId);
    for (const modelId of gone.keys()) looks.set(modelId, null);
    // A model with a status exists, even if the response also lists it as not found.
    for (const { modelId } of models) looks.delete(modelId);
    for (const [modelId, { status, ready: flag, error }] of toldOf(
      modelIds,
      models,
      (model) => model.modelId,
    )) {
      const look = { status, ready: isReady(status, flag) };
      looks.set(modelId, { ...look, ...(error === undefined ? {} : { error }) });
    }
    return looks;
  }
}

/** Results are keyed by model id; null for models that are not in the workspace. */
export const modelLooks = shared((lookout) => {
  const { client, hints, late, now } = lookout;
  const board = new ModelBoard(client);
  return new TickWatch<string, ModelLook | null>({
    name: 'models',
    idOf: (modelId) => modelId,
    look: (ids, requests, hinted) =>
      board.look(ids, requests, hinted.size === ids.length ? 0 : undefined),
    isOver: isModelOver,
    late,
    gapMs: (items) => lookGapMs(client.pace, ModelBoard.requestsFor(items)),
    rationed: {
      pace: client.pace,
      priceOf: (models) => ModelBoard.requestsFor(models),
      page: idsPerRequest,
      byPages: true,
    },
    hints: {
      ...hintsBy(
        lookout,
        (modelId: string) => `model/${modelId}`,
        (open) => ModelBoard.requestsFor(open),
      ),
      restMs: (open) => (hints.relied('model') ? restMs(ModelBoard.requestsFor(open)) : 0),
      wholeBoard: false,
    },
    now,
  });
});
