// Status of models for every wait of a worker: 100 ids a request, shared by all shards.

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
  /** Reason of a failed import; the platform gives none for uploads (2.2). */
  error?: string;
}

interface Question {
  modelId: string;
  requests: RequestCounter;
}

const idsPerRequest = 100;
/** States from which no transition is documented (3.1); waiting on them would be for ever. */
const deadEnds = new Set(['FAILED', 'MODEL_REJECTED', 'MODEL_REQUIRED']);

const ready: readonly string[] = readyStatuses;

/** Both the status and `ready` may say so; a status that no model leaves says otherwise. */
function isReady(status: string, flag: boolean | undefined): boolean {
  return ready.includes(status) || (flag === true && !deadEnds.has(status));
}

/** The model is ready or never will be. One that is not in the workspace (null) may not show yet. */
export function isModelOver(look: ModelLook | null): boolean {
  return look !== null && (look.ready || deadEnds.has(look.status));
}

export class ModelBoard {
  readonly #client: Client;
  readonly #gather: Gather<Question, Map<string, ModelLook | null>>;

  /** @param windowMs how long to wait for other callers before asking; default 40. */
  constructor(client: Client, windowMs = 40) {
    this.#client = client;
    this.#gather = new Gather(windowMs, (questions) => this.#read(questions));
  }

  /** Requests of a look at so many models. */
  static requestsFor(models: number): number {
    return Math.ceil(models / idsPerRequest);
  }

  /**
   * Status by model id, of a full page at once; null for ids that are not in the workspace.
   * @param windowMs how long to wait for other callers; default as made.
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
    // A shared look is one run's request: counted once, where it was asked first.
    const requests = questions[0]?.requests;
    const pages = chunks(ids, idsPerRequest);
    const looks = await readEach(pages, (modelIds) => this.#readPage(modelIds, requests));
    return new Map([...looks.values()].flatMap((page) => [...page]));
  }

  /** A model that the answer tells nothing of is missing. */
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
    // A model that the answer names is there, whatever else it says.
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

/** By model id; null for models that are not in the workspace. */
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
