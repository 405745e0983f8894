// Polls render jobs for all waits of a worker. A poll reads the top of the render list, which shows changed jobs by their outputs,
// and the batches of changed jobs. Every batch is also read at a long interval, because failed jobs have no outputs.

import type { Client } from '../../api/client.ts';
import { monotonicMs } from '../../api/clock.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { ResponseShapeError } from '../../api/errors/errors.ts';
import { nullWhenMissing } from '../../engine/null-when-missing.ts';
import { Batcher } from '../../engine/polling/batcher.ts';
import { PollCoordinator } from '../../engine/polling/poll-coordinator.ts';
import { isHalfSpent, pollGapMs } from '../../engine/polling/poll-interval.ts';
import { sharedPerPoller } from '../../engine/polling/poller-context.ts';
import { isItsOwn } from '../../engine/polling/read-each.ts';
import { createWakeUpOptions, restMs } from '../../engine/polling/wake-up-options.ts';
import { readOrUnreadable } from '../../engine/unreadable-response.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { outputsCarried, toOutputRefs } from './job-outputs.ts';
import { OutputCounts, shareOutputCount } from './output-counts.ts';
import type { OutputRef } from './platform-ids.ts';
import { concurrentReads, readBatchJobs } from './read-jobs.ts';
import { hasEnded, type KnownJob, RenderBatch } from './render-batch.ts';
import { type ListedRender, RenderList } from './render-list.ts';

export interface WatchedJob {
  jobId: string;
  /** Empty if unknown; the job is read individually then. */
  batchId: string;
  projectId: string;
  /** Platform clock at submission, ISO 8601. */
  submittedAt: string;
  /** Since when an asset waits for the job, by the poller's clock. */
  waitedSinceMs: number;
  /** True if the project had exactly one job and the job was never retried. */
  isOnlyJob: boolean;
  /** Jobs with the same value have the same number of outputs, if submitted at about the same time; absent if unknown. */
  outputCountKey?: string | undefined;
}

/** A retried job keeps its id but gets another batch, so both identify the attempt. */
export function watchedJobId({ batchId, jobId }: Pick<WatchedJob, 'batchId' | 'jobId'>): string {
  return `${batchId}/${jobId}`;
}

export interface RenderPollResult extends KnownJob {
  /** All outputs of the job; absent if only GET /renders/{jobId} can provide them. */
  outputs?: OutputRef[];
}

interface PollRequest {
  job: WatchedJob;
  /** A notification says that the job has finished. */
  isWoken: boolean;
  requests: RequestCounter;
  tell: Tell;
}

type Tell = (looks: ReadonlyMap<string, RenderPollResult>) => void;

/** True if the job has completed, failed or was cancelled. */
export function isRenderFinished(result: RenderPollResult): boolean {
  return hasEnded(result.status);
}

/** Page size of the render list. */
const outputsPerRequest = 100;

interface RenderStatusPollerOptions {
  now?: () => number;
  areWakeUpsReliable?: () => boolean;
  batchWindowMs?: number;
}

export class RenderStatusPoller {
  readonly #client: Client;
  readonly #now: () => number;
  readonly #batcher: Batcher<PollRequest, Map<string, RenderPollResult>>;
  readonly #list: RenderList;
  readonly #batches = new Map<string, RenderBatch>();
  readonly #counts = new OutputCounts();
  readonly #areWakeUpsReliable: () => boolean;
  #pendingCount: Promise<void> = Promise.resolve();
  #requests: RequestCounter | undefined;
  /** Number of batches with unfinished jobs. */
  #openBatches = 0;

  /**
   * @param relied   returns true if notifications of renders are reliable
   * @param batchWindowMs how long to collect requests of other callers into one batch
   */
  constructor(
    client: Client,
    {
      now = monotonicMs,
      areWakeUpsReliable = () => false,
      batchWindowMs = 40,
    }: RenderStatusPollerOptions = {},
  ) {
    this.#client = client;
    this.#now = now;
    this.#areWakeUpsReliable = areWakeUpsReliable;
    this.#batcher = new Batcher(batchWindowMs, (pollRequests) => this.#pollNow(pollRequests));
    this.#list = new RenderList((query) => client.listRenders({ query }, this.#options()));
  }

  /** Approximate number of requests to poll this number of jobs: the list, and every other batch. */
  static requestsFor(jobs: number): number {
    return 2 * Math.ceil(jobs / outputsPerRequest);
  }

  /**
   * Results by `watchedJobId`. Jobs whose batch was not read yet are left out.
   * @param tell called with the results of a batch as soon as they are complete
   */
  poll(
    jobs: readonly WatchedJob[],
    requests: RequestCounter,
    hinted: ReadonlySet<string> = new Set(),
    tell: Tell = () => {},
  ): Promise<Map<string, RenderPollResult>> {
    const pollRequests = jobs.map((job) => {
      return { job, requests, isWoken: hinted.has(watchedJobId(job)), tell };
    });
    return hinted.size > 0
      ? this.#batcher.request(pollRequests, 0)
      : this.#batcher.request(pollRequests);
  }

  /** True if some batch has changes and should be read now. */
  get hasDueChanges(): boolean {
    const nowMs = this.#now();
    const isAllowanceLow = isHalfSpent(this.#client.pollBudget);
    return [...this.#batches.values()].some((batch) =>
      batch.hasDueChanges(nowMs, this.#openBatches, isAllowanceLow),
    );
  }

  async #pollNow(pollRequests: PollRequest[]): Promise<Map<string, RenderPollResult>> {
    this.#requests = pollRequests[0]?.requests;
    const jobs = pollRequests.map(({ job }) => job);
    const neededSinceMs = Math.min(...jobs.map(({ submittedAt }) => Date.parse(submittedAt)));
    for (const { job, isWoken } of pollRequests) if (isWoken) this.#noteChange(job, true);
    const tells = new Set(pollRequests.map(({ tell }) => tell));
    await this.#sweep(jobs, neededSinceMs);
    await this.#readBatches(jobs, async (asked) => {
      await this.#countOutputs(asked);
      const looks = this.#resultsOf(asked.filter((job) => !this.#needsAnotherSweep(job)));
      for (const tell of tells) tell(looks);
    });
    if (jobs.some((job) => this.#needsAnotherSweep(job))) await this.#sweep(jobs, neededSinceMs);
    await this.#countOutputs(jobs);
    this.#dropIdle(jobs);
    return this.#resultsOf(jobs);
  }

  #resultsOf(jobs: readonly WatchedJob[]): Map<string, RenderPollResult> {
    const looks = new Map<string, RenderPollResult>();
    for (const job of jobs) {
      const known = this.#batches.get(job.batchId)?.jobs.get(job.jobId);
      if (known) looks.set(watchedJobId(job), this.#resultOf(job, known));
    }
    return looks;
  }

  /** True if the job completed after the list was read, or the list has a gap: another sweep may show its outputs. */
  #needsAnotherSweep(job: WatchedJob): boolean {
    const count = job.isOnlyJob && this.#isComplete(job) ? this.#counts.countFor(job) : undefined;
    if (count === undefined || this.#list.outputsOf(job.projectId).length > count) return false;
    return !this.#isListed(job);
  }

  /** True if all outputs of the job are in a gapless part of the list. */
  #isListed(job: WatchedJob): boolean {
    const isWhole = this.#list.completeSinceMs <= Date.parse(job.submittedAt);
    const listed = this.#list.outputsOf(job.projectId).length;
    return job.isOnlyJob && isWhole && listed === this.#counts.countFor(job);
  }

  #isComplete({ batchId, jobId }: WatchedJob): boolean {
    return this.#batches.get(batchId)?.jobs.get(jobId)?.status === 'COMPLETED';
  }

  /** Reads the list and notes which jobs have new outputs. */
  async #sweep(jobs: readonly WatchedJob[], neededSinceMs: number): Promise<void> {
    const moved = await this.#list.sweep(neededSinceMs, jobs.length);
    for (const job of jobs) {
      const { projectId, isOnlyJob } = job;
      // The output of an unfinished job counts as a change even if an earlier sweep saw it, because the job may not have been
      // watched then, or its batch may have been read before.
      const finished = isOnlyJob && this.#list.outputsOf(projectId).length > 0;
      if (finished || moved.has(projectId)) this.#noteChange(job, false);
    }
  }

  /** Reads the output count of one completed job of each kind. Runs sequentially, so that no job is read twice. */
  #countOutputs(jobs: readonly WatchedJob[]): Promise<void> {
    const counting = this.#pendingCount.then(() => this.#countOutputsNow(jobs));
    this.#pendingCount = counting.catch(() => {});
    return counting;
  }

  async #countOutputsNow(jobs: readonly WatchedJob[]): Promise<void> {
    const asked: WatchedJob[] = [];
    for (const job of jobs) {
      const { outputCountKey, isOnlyJob } = job;
      if (!isOnlyJob || outputCountKey === undefined) continue;
      if (!this.#isComplete(job)) continue;
      const isCounted = this.#counts.countFor(job) !== undefined;
      if (!isCounted && !asked.some((other) => shareOutputCount(other, job))) asked.push(job);
    }
    await mapBounded(asked, (job) => this.#countOutputsOf(job), { atOnce: concurrentReads });
  }

  async #countOutputsOf(asked: WatchedJob): Promise<void> {
    const { jobId } = asked;
    const read = () => this.#client.getRenderJob({ params: { jobId } }, this.#options());
    // If the job cannot be read, each job is read when its files are delivered.
    const job = await readOrUnreadable(() => nullWhenMissing(read));
    if (job === null || job instanceof ResponseShapeError || job.status !== 'COMPLETED') return;
    this.#counts.add(asked, toOutputRefs(job).length);
  }

  #noteChange(job: WatchedJob, notified: boolean): void {
    this.#batchOf(job).noteChange(job.jobId, this.#now(), notified);
  }

  #batchOf({ batchId, waitedSinceMs }: WatchedJob): RenderBatch {
    const batch = this.#batches.get(batchId) ?? new RenderBatch(waitedSinceMs, this.#now());
    this.#batches.set(batchId, batch);
    return batch;
  }

  /** Reads the batches that are due. @param read called with the polled jobs of each batch after its read */
  async #readBatches(
    jobs: readonly WatchedJob[],
    read: (asked: readonly WatchedJob[]) => Promise<void>,
  ): Promise<void> {
    const open = jobs.filter((job) => !this.#batchOf(job).isFinished(job.jobId));
    const waiting = groupBy(open, ({ batchId }) => batchId);
    const nowMs = this.#now();
    this.#openBatches = waiting.size;
    const relied = this.#areWakeUpsReliable();
    const state = {
      open: waiting.size,
      relied,
      isAllowanceLow: isHalfSpent(this.#client.pollBudget),
    };
    let error: unknown;
    const reads = [...waiting].map(async ([batchId, asked]) => {
      const batch = this.#batches.get(batchId);
      batch?.setWaitingCount(asked.length);
      if (!batch?.isDue(nowMs, state)) return;
      try {
        batch.applyRead(
          await readBatchJobs(this.#client, batchId, asked, this.#options()),
          this.#now(),
        );
      } catch (thrown) {
        if (!isItsOwn(thrown)) throw thrown;
        batch.noteFailedRead(this.#now());
        error = thrown;
        return;
      }
      await read(asked);
    });
    await Promise.all(reads);
    // A batch that cannot be read delays only its own assets. If no batch can be read, the poll fails.
    const isStuck = [...waiting.keys()].every((id) => this.#batches.get(id)?.hasFailedRead);
    if (error !== undefined && isStuck) throw error;
  }

  #resultOf(job: WatchedJob, known: KnownJob): RenderPollResult {
    if (known.status !== 'COMPLETED') return known;
    const listed = this.#list.outputsOf(job.projectId);
    if (!this.#isListed(job) || listed.length > outputsCarried) return known;
    const outputs = listed.flatMap((item) => toStillWithUrl(item) ?? []);
    return outputs.length === listed.length ? { ...known, outputs } : known;
  }

  /** Drops finished batches that no asset waits for. */
  #dropIdle(jobs: readonly WatchedJob[]): void {
    if (this.#batches.size < 2_000) return;
    const asked = new Set(jobs.map(({ batchId }) => batchId));
    for (const [batchId, batch] of this.#batches) {
      const over = [...batch.jobs.values()].every(({ status }) => hasEnded(status));
      if (over && !asked.has(batchId)) this.#batches.delete(batchId);
    }
  }

  #options() {
    return { priority: 'status' as const, ...(this.#requests ? { scope: this.#requests } : {}) };
  }
}

/** The output of a still that the list describes completely; null for videos, TIFFs and signed URLs. */
function toStillWithUrl(item: ListedRender): OutputRef | null {
  const { id, name = id, fileType = '', isVideo, isPreview = false, url = '' } = item;
  if (isVideo !== false || fileType === '' || /^tiff?$/i.test(fileType)) return null;
  if (!URL.canParse(url) || new URL(url).search !== '') return null;
  return { id, name, fileType, isVideo, isPreview, url };
}

/** Results are keyed by `watchedJobId`. */
export const renderPollCoordinator = sharedPerPoller((pollerContext) => {
  const { client, wakeUps, lagMonitor, now } = pollerContext;
  const poller = new RenderStatusPoller(client, {
    now,
    areWakeUpsReliable: () => wakeUps.isReliable('render'),
  });
  return new PollCoordinator<WatchedJob, RenderPollResult>({
    name: 'renders',
    idOf: watchedJobId,
    poll: (jobs, requests, hinted, tell) => poller.poll(jobs, requests, hinted, tell),
    isFinished: isRenderFinished,
    lagMonitor,
    minGapMs: (jobs) => pollGapMs(client.pollBudget, RenderStatusPoller.requestsFor(jobs)),
    throttle: {
      pollBudget: client.pollBudget,
      requestsFor: (jobs) => RenderStatusPoller.requestsFor(jobs),
      pageSize: outputsPerRequest,
      pollsByPage: false,
    },
    wakeUps: {
      ...createWakeUpOptions(
        pollerContext,
        ({ jobId }: WatchedJob) => `render/${jobId}`,
        (open) => RenderStatusPoller.requestsFor(open),
      ),
      // One page of the list covers all jobs, so a wake-up for one job polls all of them.
      pollsAllItems: true,
      restMs: () => (wakeUps.isReliable('render') && !poller.hasDueChanges ? restMs(1) : 0),
    },
    now,
  });
});
