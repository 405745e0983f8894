// State of colorway jobs for every wait of a worker: one request a batch, shared by all its assets.

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
  /** Times that its job was started again: looks at earlier tries are void. */
  tries: number;
}

export interface ColorwayLook {
  /** Job status of the platform; NO_JOB when the batch has none for the model, NOT_FOUND when it is gone. */
  status: string;
  jobId?: string;
  errorMessage?: string;
}

interface Question {
  item: WatchedColorway;
  requests: RequestCounter;
}

type Jobs = AnswerOf<typeof ColorwayBatch>['jobs'];

/** A batch, or a job of it, that is not found may not show yet. */
const ended = new Set(['complete', 'failed']);
/** Models of one batch, as a rule. */
const modelsPerBatch = 50;

export function colorwayId({ batchId, modelId, tries }: WatchedColorway): string {
  return `${batchId}/${modelId}/${tries}`;
}

/** The job has ended. */
export function isColorwayOver({ status }: ColorwayLook): boolean {
  return ended.has(status);
}

export class ColorwayBoard {
  readonly #client: Client;
  readonly #gather: Gather<Question, Map<string, ColorwayLook>>;

  /** @param windowMs how long to wait for other callers before asking; default 40. */
  constructor(client: Client, windowMs = 40) {
    this.#client = client;
    this.#gather = new Gather(windowMs, (questions) => this.#read(questions));
  }

  /** Requests of a look at so many jobs, about. */
  static requestsFor(jobs: number): number {
    return Math.ceil(jobs / modelsPerBatch);
  }

  /** By `colorwayId`; jobs that could not be read now are missing. */
  look(
    items: readonly WatchedColorway[],
    requests: RequestCounter,
  ): Promise<Map<string, ColorwayLook>> {
    return this.#gather.ask(items.map((item) => ({ item, requests })));
  }

  async #read(questions: Question[]): Promise<Map<string, ColorwayLook>> {
    const batchIds = [...new Set(questions.map(({ item }) => item.batchId))];
    // A shared look is one run's request: counted once, where it was asked first.
    const requests = questions[0]?.requests;
    const batches = await readEach(batchIds, (batchId) => this.#jobsOf(batchId, requests));
    const looks = questions.flatMap(({ item }): [string, ColorwayLook][] => {
      const jobs = batches.get(item.batchId);
      const look = jobs === undefined ? null : lookOf(item.modelId, jobs);
      return look === null ? [] : [[colorwayId(item), look]];
    });
    return new Map(looks);
  }

  /** null: the batch is gone. */
  async #jobsOf(batchId: string, scope: RequestCounter | undefined): Promise<Jobs | null> {
    const options = { priority: 'status' as const, ...(scope ? { scope } : {}) };
    const read = () => this.#client.getColorwayBatch({ params: { batchId } }, options);
    return (await nullWhenGone(read))?.jobs ?? null;
  }
}

/** Where a model has several jobs, it is done when all of them are. null: nothing certain is told of it. */
function lookOf(modelId: string, jobs: Jobs | null): ColorwayLook | null {
  if (jobs === null) return { status: 'NOT_FOUND' };
  const mine = jobs.filter(({ baseModelId }) => baseModelId === modelId);
  const job =
    mine.find(({ status }) => !ended.has(status)) ??
    mine.find(({ status }) => status === 'failed') ??
    mine[0];
  // A job that could not be read may be the one of this model.
  if (job === undefined) return jobs.unread > 0 ? null : { status: 'NO_JOB' };
  const { id, status, errorMessage } = job;
  return { status, jobId: id, ...(errorMessage ? { errorMessage } : {}) };
}

/** By `colorwayId`. */
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
