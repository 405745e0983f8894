// Polls colorway jobs for all waits of a worker: one request per batch, shared by all its assets.

import type { AnswerOf } from '../../api/answer-parts.ts';
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import type { ColorwayBatch } from '../../api/operations/colorways.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { Gather } from '../../machinery/watch/gather.ts';
import { shared } from '../../machinery/watch/lookout.ts';
import { readEach } from '../../machinery/watch/read-each.ts';
import { TickWatch } from '../../machinery/watch/tick-watch.ts';
import { lookGapMs } from '../../machinery/watch/ticks.ts';

export interface WatchedColorway {
  batchId: string;
  modelId: string;
  /** Number of retries of the job. Results of earlier attempts do not count. */
  tries: number;
}

export interface ColorwayLook {
  /** Job status of the platform; NO_JOB if the batch has no job for the model, NOT_FOUND if the batch was deleted. */
  status: string;
  jobId?: string;
  errorMessage?: string;
}

interface Question {
  item: WatchedColorway;
  requests: RequestCounter;
}

type Jobs = AnswerOf<typeof ColorwayBatch>['jobs'];

/** NOT_FOUND and NO_JOB are not final: the batch or job may not be visible yet. */
const ended = new Set(['complete', 'failed']);
/** Typical number of models in a batch. */
const modelsPerBatch = 50;

export function colorwayId({ batchId, modelId, tries }: WatchedColorway): string {
  return `${batchId}/${modelId}/${tries}`;
}

/** True if the job has completed or failed. */
export function isColorwayOver({ status }: ColorwayLook): boolean {
  return ended.has(status);
}

export class ColorwayBoard {
  readonly #client: Client;
  readonly #gather: Gather<Question, Map<string, ColorwayLook>>;

  /** @param windowMs how long to collect requests of other callers into one batch */
  constructor(client: Client, windowMs = 40) {
    this.#client = client;
    this.#gather = new Gather(windowMs, (questions) => this.#read(questions));
  }

  /** Approximate number of requests to poll this number of jobs. */
  static requestsFor(jobs: number): number {
    return Math.ceil(jobs / modelsPerBatch);
  }

  /** Results by `colorwayId`. Jobs that could not be read are left out. */
  look(
    items: readonly WatchedColorway[],
    requests: RequestCounter,
  ): Promise<Map<string, ColorwayLook>> {
    return this.#gather.ask(items.map((item) => ({ item, requests })));
  }

  async #read(questions: Question[]): Promise<Map<string, ColorwayLook>> {
    const batchIds = [...new Set(questions.map(({ item }) => item.batchId))];
    // A shared request is counted once, for the run that asked first.
    const requests = questions[0]?.requests;
    const batches = await readEach(batchIds, (batchId) => this.#jobsOf(batchId, requests));
    const looks = questions.flatMap(({ item }): [string, ColorwayLook][] => {
      const jobs = batches.get(item.batchId);
      const look = jobs === undefined ? null : lookOf(item.modelId, jobs);
      return look === null ? [] : [[colorwayId(item), look]];
    });
    return new Map(looks);
  }

  /** null: the batch was deleted. */
  async #jobsOf(batchId: string, scope: RequestCounter | undefined): Promise<Jobs | null> {
    const options = { priority: 'status' as const, ...(scope ? { scope } : {}) };
    const read = () => this.#client.getColorwayBatch({ params: { batchId } }, options);
    return (await nullWhenGone(read))?.jobs ?? null;
  }
}

/** A model with several jobs is finished when all of them are. null: the result is uncertain. */
function lookOf(modelId: string, jobs: Jobs | null): ColorwayLook | null {
  if (jobs === null) return { status: 'NOT_FOUND' };
  const mine = jobs.filter(({ baseModelId }) => baseModelId === modelId);
  const job =
    mine.find(({ status }) => !ended.has(status)) ??
    mine.find(({ status }) => status === 'failed') ??
    mine[0];
  // A job that could not be parsed may be this model's.
  if (job === undefined) return jobs.unread > 0 ? null : { status: 'NO_JOB' };
  const { id, status, errorMessage } = job;
  return { status, jobId: id, ...(errorMessage ? { errorMessage } : {}) };
}

/** Results are keyed by `colorwayId`. */
export const colorwayLooks = shared(
  ({ client, late, now }) => {
    const board = new ColorwayBoard(client);
    return new TickWatch<WatchedColorway, ColorwayLook>({
      name: 'colorways',
      idOf: colorwayId,
      look: (items, requests) => board.look(items, requests),
      isOver: isColorwayOver,
      late,
      gapMs: (open) => lookGapMs(client.pace, ColorwayBoard.requestsFor(open)),
      now,
    });
  },
  { byNamedPaths: true },
);
