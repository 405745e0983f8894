// Status of models for every wait of a worker: 100 ids a request, shared by all shards.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { Gather } from '../watch/gather.ts';

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

/** The model is ready or never will be; null: it is not in the workspace. */
export function isModelOver(look: ModelLook | null): boolean {
  return look === null || look.ready || deadEnds.has(look.status);
}

export class ModelBoard {
  readonly #client: Client;
  readonly #gather: Gather<Question, Map<string, ModelLook | null>>;

  /** @param windowMs how long to wait for other callers before asking; default 40. */
  constructor(client: Client, windowMs = 40) {
    this.#client = client;
    this.#gather = new Gather(windowMs, (questions) => this.#read(questions));
  }

  /** What a look at so many models costs. */
  static requestsFor(models: number): number {
    return Math.ceil(models / idsPerRequest);
  }

  /**
   * Status by model id; null for ids that are not in the workspace.
   * @param windowMs how long to wait for other callers; default as made.
   */
  look(
    modelIds: readonly string[],
    requests: RequestCounter,
    windowMs?: number,
  ): Promise<Map<string, ModelLook | null>> {
    return this.#gather.ask(
      modelIds.map((modelId) => ({ modelId, requests })),
      windowMs,
    );
  }

  async #read(questions: Question[]): Promise<Map<string, ModelLook | null>> {
    const ids = [...new Set(questions.map(({ modelId }) => modelId))];
    // A shared look is one run's request: counted once, where it was asked first.
    const requests = questions[0]?.requests;
    const looks = new Map<string, ModelLook | null>();
    const pages: string[][] = [];
    for (let start = 0; start < ids.length; start += idsPerRequest) {
      pages.push(ids.slice(start, start + idsPerRequest));
    }
    await Promise.all(
      pages.map(async (modelIds) => {
        const answer = await this.#client.checkModelStatus(
          { body: { modelIds } },
          { priority: 'status', ...(requests ? { scope: requests } : {}) },
        );
        for (const { modelId, status, ready, error } of answer.models) {
          looks.set(modelId, { status, ready, ...(error === undefined ? {} : { error }) });
        }
        for (const modelId of answer.notFound) looks.set(modelId, null);
      }),
    );
    return looks;
  }
}
