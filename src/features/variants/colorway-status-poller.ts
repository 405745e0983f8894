// Polls colorway jobs for all waits of a worker: one request per batch, shared by all its assets.

import type { Client } from '../../api/client.ts';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { RequestCounter } from '../../api/counter.ts';
import type { ColorwayBatch } from '../../api/operations/colorways.ts';
import { nullWhenMissing } from '../../engine/null-when-missing.ts';
import { Batcher } from '../../engine/polling/batcher.ts';
import { PollCoordinator } from '../../engine/polling/poll-coordinator.ts';
import { pollGapMs } from '../../engine/polling/poll-interval.ts';
import { sharedPerPoller } from '../../engine/polling/poller-context.ts';
import { readEach } from '../../engine/polling/read-each.ts';

export interface WatchedColorway {
  batchId: string;
  modelId: string;
  /** Number of retries of the job. Results of earlier attempts do not count. */
  tries: number;
}

export interface ColorwayPollResult {
  /** Job status of the platform; NO_JOB if the batch has no job for the model, NOT_FOUND if the batch was deleted. */
  status: string;
  jobId?: string;
  errorMessage?: string;
}

interface PollRequest {
  item: WatchedColorway;
  requests: RequestCounter;
}

type Jobs = ResponseOf<typeof ColorwayBatch>['jobs'];

/** NOT_FOUND and NO_JOB are not final: the batch or job may not be visible yet. */
const finalStatuses = new Set(['complete', 'failed']);
/** Typical number of models in a batch. */
const modelsPerBatch = 50;

export function watchedColorwayId({ batchId, modelId, tries }: WatchedColorway): string {
  return `${batchId}/${modelId}/${tries}`;
}

/** True if the job has completed or failed. */
export function isColorwayFinished({ status }: ColorwayPollResult): boolean {
  return finalStatuses.has(status);
}

export class ColorwayStatusPoller {
  readonly #client: Client;
  readonly #batcher: Batcher<PollRequest, Map<string, ColorwayPollResult>>;

  /** @param batchWindowMs how long to collect requests of other callers into one batch */
  constructor(client: Client, batchWindowMs = 40) {
    this.#client = client;
    this.#batcher = new Batcher(batchWindowMs, (pollRequests) => this.#read(pollRequests));
  }

  /** Approximate number of requests to poll this number of jobs. */
  static requestsFor(jobs: number): number {
    return Math.ceil(jobs / modelsPerBatch);
  }

  /** Results by `watchedColorwayId`. Jobs that could not be read are left out. */
  poll(
    items: readonly WatchedColorway[],
    requests: RequestCounter,
  ): Promise<Map<string, ColorwayPollResult>> {
    return this.#batcher.request(items.map((item) => ({ item, requests })));
  }

  async #read(pollRequests: PollRequest[]): Promise<Map<string, ColorwayPollResult>> {
    const batchIds = [...new Set(pollRequests.map(({ item }) => item.batchId))];
    // A shared request is counted once, for the run that asked first.
    const requests = pollRequests[0]?.requests;
    const batches = await readEach(batchIds, (batchId) => this.#jobsOf(batchId, requests));
    const looks = pollRequests.flatMap(({ item }): [string, ColorwayPollResult][] => {
      const jobs = batches.get(item.batchId);
      const poll = jobs === undefined ? null : toPollResult(item.modelId, jobs);
      return poll === null ? [] : [[watchedColorwayId(item), poll]];
    });
    return new Map(looks);
  }

  /** null: the batch was deleted. */
  async #jobsOf(batchId: string, scope: RequestCounter | undefined): Promise<Jobs | null> {
    const options = { priority: 'status' as const, ...(scope ? { scope } : {}) };
    const read = () => this.#client.getColorwayBatch({ params: { batchId } }, options);
    return (await nullWhenMissing(read))?.jobs ?? null;
  }
}

/** A model with several jobs is finished when all of them are. null: the result is uncertain. */
function toPollResult(modelId: string, jobs: Jobs | null): ColorwayPollResult | null {
  if (jobs === null) return { status: 'NOT_FOUND' };
  const mine = jobs.filter(({ baseModelId }) => baseModelId === modelId);
  const job =
    mine.find(({ status }) => !finalStatuses.has(status)) ??
    mine.find(({ status }) => status === 'failed') ??
    mine[0];
  // A job that could not be parsed may be this model's.
  if (job === undefined) return jobs.unread > 0 ? null : { status: 'NO_JOB' };
  const { id, status, errorMessage } = job;
  return { status, jobId: id, ...(errorMessage ? { errorMessage } : {}) };
}

/** Results are keyed by `watchedColorwayId`. */
export const colorwayPollCoordinator = sharedPerPoller(
  ({ client, lagMonitor, now }) => {
    const poller = new ColorwayStatusPoller(client);
    return new PollCoordinator<WatchedColorway, ColorwayPollResult>({
      name: 'colorways',
      idOf: watchedColorwayId,
      poll: (items, requests) => poller.poll(items, requests),
      isFinished: isColorwayFinished,
      lagMonitor,
      minGapMs: (open) => pollGapMs(client.pollBudget, ColorwayStatusPoller.requestsFor(open)),
      now,
    });
  },
  { byNamedPaths: true },
);
