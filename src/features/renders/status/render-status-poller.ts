// Polls render jobs for all waits of a worker. A poll reads the top of the render list, which shows changed jobs by
// their outputs, and then the batches of changed jobs. Every batch is also read at a long interval, because failed jobs
// have no outputs.
import type { CallOptions, Client } from '../../../api/client.ts';
import { ResponseShapeError } from '../../../api/errors/errors.ts';
import { nullIfNotFound } from '../../../engine/null-if-not-found.ts';
import { mapItemsById } from '../../../engine/polling/map-items-by-id.ts';
import { isBudgetHalfSpent } from '../../../engine/polling/poll-policy.ts';
import type { PollerContext } from '../../../engine/polling/poller-context.ts';
import { isErrorOfOneItem } from '../../../engine/polling/read-each.ts';
import { type Poll, shareStatusPoller } from '../../../engine/polling/status-poller.ts';
import { readOrUnreadable } from '../../../engine/unreadable-response.ts';
import { groupBy } from '../../../plan/helpers/group-by.ts';
import { mapBounded } from '../../../store/objects/map-bounded.ts';
import { maxStoredOutputs, toOutputRefs } from '../job-outputs.ts';
import type { OutputRef } from '../platform-ids.ts';
import {
  type BatchesState,
  isFinalStatus,
  type KnownJob,
  type ReadJob,
  RenderBatch,
} from './render-batch.ts';
import {
  type CountedJob,
  type ListedRender,
  maxConcurrentReads,
  OutputCounts,
  RenderList,
} from './render-outputs.ts';

export interface WatchedJob extends CountedJob {
  jobId: string;
  /** Id of the batch. Empty if unknown, so that the job is read individually. */
  batchId: string;
  projectId: string;
  /** Time since which an asset waits for the job, by the poller's clock. */
  waitedSinceMs: number;
  /** True if the project had exactly one job and the job was never retried. */
  isOnlyJob: boolean;
}

/** Returns the id of a job's attempt. A retried job keeps its id but gets another batch, so both identify it. */
export function watchedJobIdOf(job: Pick<WatchedJob, 'batchId' | 'jobId' | 'submittedAt'>): string {
  return `${attemptOf(job)}/${job.jobId}`;
}

/** Returns the batch id, or the time of the submission if the batch is unknown. */
function attemptOf({ batchId, submittedAt }: Pick<WatchedJob, 'batchId' | 'submittedAt'>): string {
  return batchId === '' ? `since ${submittedAt}` : batchId;
}

export interface RenderPollResult extends KnownJob {
  /** All outputs of the job. Absent if only GET /renders/{jobId} can provide them. */
  outputs?: OutputRef[];
}

/** Page size of the render list. */
const outputsPerRequest = 100;

export class RenderReader {
  readonly #context: Pick<PollerContext, 'client' | 'monotonicNow' | 'wakeUps'>;
  readonly #list: RenderList;
  readonly #batches = new Map<string, RenderBatch>();
  readonly #counts = new OutputCounts();
  #options: CallOptions = {};
  /** Number of batches with unfinished jobs. */
  #openBatches = 0;

  constructor(context: Pick<PollerContext, 'client' | 'monotonicNow' | 'wakeUps'>) {
    this.#context = context;
    this.#list = new RenderList((query) => context.client.listRenders({ query }, this.#options));
  }

  /** True if some batch has changes and should be read now. */
  get hasDueChanges(): boolean {
    const nowMs = this.#context.monotonicNow();
    const state = this.#batchesState();
    return [...this.#batches.values()].some((batch) => batch.hasDueChanges(nowMs, state));
  }

  /** Returns results by `watchedJobIdOf`. Omits jobs whose batch has not been read yet. Reads must not overlap. */
  async read(
    jobs: readonly WatchedJob[],
    { options, wokenIds, report }: Poll<RenderPollResult>,
  ): Promise<Map<string, RenderPollResult>> {
    this.#options = options;
    const neededSinceMs = jobs.reduce(
      (earliestMs, { submittedAt }) => Math.min(earliestMs, Date.parse(submittedAt)),
      Number.POSITIVE_INFINITY,
    );
    for (const job of jobs) if (wokenIds.has(watchedJobIdOf(job))) this.#recordChange(job, true);
    await this.#sweep(jobs, neededSinceMs);
    await this.#readBatches(jobs, async (batchJobs) => {
      await this.#countOutputs(batchJobs);
      report(this.#resultsOf(batchJobs.filter((job) => !this.#isSweepNeeded(job))));
    });
    if (jobs.some((job) => this.#isSweepNeeded(job))) await this.#sweep(jobs, neededSinceMs);
    await this.#countOutputs(jobs);
    this.#dropIdle(jobs);
    return this.#resultsOf(jobs);
  }

  #resultsOf(jobs: readonly WatchedJob[]): Map<string, RenderPollResult> {
    const results = new Map<string, RenderPollResult>();
    for (const job of jobs) {
      const knownJob = this.#knownJob(job);
      if (knownJob) results.set(watchedJobIdOf(job), this.#resultOf(job, knownJob));
    }
    return results;
  }

  /** True if the job completed after the list was read, or the list has a gap: a sweep may find its outputs. */
  #isSweepNeeded(job: WatchedJob): boolean {
    const count = this.#isCountable(job) ? this.#counts.countFor(job) : undefined;
    if (count === undefined || this.#list.outputsOf(job.projectId).length > count) return false;
    return !this.#isListed(job);
  }

  /** True if all outputs of the job are in a gapless part of the list. */
  #isListed(job: WatchedJob): boolean {
    const isListComplete = this.#list.completeSinceMs <= Date.parse(job.submittedAt);
    const listedCount = this.#list.outputsOf(job.projectId).length;
    return job.isOnlyJob && isListComplete && listedCount === this.#counts.countFor(job);
  }

  #knownJob(job: WatchedJob): KnownJob | undefined {
    return this.#batches.get(attemptOf(job))?.jobs.get(job.jobId);
  }

  /** True if the job has completed and is the only one of its project, so that its outputs are those of the project. */
  #isCountable(job: WatchedJob): boolean {
    return job.isOnlyJob && this.#knownJob(job)?.status === 'COMPLETED';
  }

  /** Reads the list and records which jobs have new outputs. */
  async #sweep(jobs: readonly WatchedJob[], neededSinceMs: number): Promise<void> {
    const changedProjects = await this.#list.sweep(neededSinceMs, jobs.length);
    for (const job of jobs) {
      const { projectId, isOnlyJob } = job;
      // The output of an unfinished job counts as a change even if an earlier sweep saw it. The job may not have been
      // watched then, or its batch may have been read before.
      const hasOutput = isOnlyJob && this.#list.outputsOf(projectId).length > 0;
      if (hasOutput || changedProjects.has(projectId)) this.#recordChange(job, false);
    }
  }

  /** Reads the output count of one completed job of each kind. */
  #countOutputs(jobs: readonly WatchedJob[]): Promise<void> {
    const countableJobs = jobs.filter((job) => this.#isCountable(job));
    return this.#counts.countMissing(countableJobs, async ({ jobId }) => {
      const read = () => this.#context.client.getRenderJob({ params: { jobId } }, this.#options);
      // If this read fails, each job that would share the count is read later, when its files are delivered.
      const job = await readOrUnreadable(() => nullIfNotFound(read));
      const isUsable = job !== null && !(job instanceof ResponseShapeError);
      return isUsable && job.status === 'COMPLETED' ? toOutputRefs(job).length : 0;
    });
  }

  #recordChange(job: WatchedJob, isFromNotification: boolean): void {
    this.#batchOf(job).recordChange(job.jobId, this.#context.monotonicNow(), isFromNotification);
  }

  #batchOf(job: WatchedJob): RenderBatch {
    const attempt = attemptOf(job);
    const batch =
      this.#batches.get(attempt) ??
      new RenderBatch(job.waitedSinceMs, this.#context.monotonicNow());
    this.#batches.set(attempt, batch);
    return batch;
  }

  /** Reads the batches that are due. @param onBatchRead called with the polled jobs of each batch after its read */
  async #readBatches(
    jobs: readonly WatchedJob[],
    onBatchRead: (batchJobs: readonly WatchedJob[]) => Promise<void>,
  ): Promise<void> {
    const openJobs = jobs.filter((job) => !this.#batchOf(job).isFinished(job.jobId));
    const jobsByAttempt = groupBy(openJobs, attemptOf);
    const { client, wakeUps, monotonicNow } = this.#context;
    const nowMs = monotonicNow();
    this.#openBatches = jobsByAttempt.size;
    const areNotificationsReliable = wakeUps.isReliable('render');
    const state = this.#batchesState();
    let error: unknown;
    const reads = [...jobsByAttempt].map(async ([attempt, batchJobs]) => {
      const batch = this.#batches.get(attempt);
      if (!batch) return;
      batch.waitingCount = batchJobs.length;
      if (!batch.isDue(nowMs, state, areNotificationsReliable)) return;
      try {
        batch.applyRead(await readBatchJobs(client, batchJobs, this.#options), monotonicNow());
      } catch (thrown) {
        if (!isErrorOfOneItem(thrown)) throw thrown;
        batch.recordFailedRead(monotonicNow());
        error = thrown;
        return;
      }
      await onBatchRead(batchJobs);
    });
    await Promise.all(reads);
    // A batch that cannot be read delays only its own assets. If no batch can be read, the poll fails.
    const isStuck = [...jobsByAttempt.keys()].every((id) => this.#batches.get(id)?.hasFailedRead);
    if (error !== undefined && isStuck) throw error;
  }

  #resultOf(job: WatchedJob, knownJob: KnownJob): RenderPollResult {
    if (knownJob.status !== 'COMPLETED') return knownJob;
    const listedRenders = this.#list.outputsOf(job.projectId);
    if (!this.#isListed(job) || listedRenders.length > maxStoredOutputs) return knownJob;
    const outputs = listedRenders.flatMap((item) => toStillWithUrl(item) ?? []);
    return outputs.length === listedRenders.length ? { ...knownJob, outputs } : knownJob;
  }

  /** Once there are very many batches, drops the finished ones that no asset waits for. */
  #dropIdle(jobs: readonly WatchedJob[]): void {
    if (this.#batches.size < 2_000) return;
    const watchedAttempts = new Set(jobs.map(attemptOf));
    for (const [attempt, batch] of this.#batches) {
      const isOver = [...batch.jobs.values()].every(({ status }) => isFinalStatus(status));
      if (isOver && !watchedAttempts.has(attempt)) this.#batches.delete(attempt);
    }
  }

  #batchesState(): BatchesState {
    const isAllowanceLow = isBudgetHalfSpent(this.#context.client.pollBudget);
    return { openBatches: this.#openBatches, isAllowanceLow };
  }
}

/** Returns a still that the list describes completely, or null for others, such as videos, TIFFs and signed URLs. */
function toStillWithUrl(item: ListedRender): OutputRef | null {
  const { id, name = id, fileType = '', isVideo, isPreview = false, url = '' } = item;
  if (isVideo !== false || fileType === '' || /^tiff?$/i.test(fileType)) return null;
  if (!URL.canParse(url) || new URL(url).search !== '') return null;
  return { id, name, fileType, isVideo, isPreview, url };
}

/** Results are keyed by `watchedJobIdOf`. */
export const renderStatusPoller = shareStatusPoller<WatchedJob, RenderPollResult>((context) => {
  const reader = new RenderReader(context);
  return {
    name: 'renders',
    idOf: watchedJobIdOf,
    isFinished: ({ status }) => isFinalStatus(status),
    pageSize: outputsPerRequest,
    // In addition to a page of the list, a poll reads about half of the batches.
    requestsPerPage: 2,
    reads: 'all',
    wakeUps: {
      kind: 'render',
      idOf: ({ jobId }) => jobId,
      hasDueChanges: () => reader.hasDueChanges,
    },
    read: (jobs, poll) => reader.read(jobs, poll),
  };
});

/**
 * Reads the jobs of one batch, or each job individually if the batch is unknown. Omits jobs with contradictory entries
 * in the response. A deleted batch yields NOT_FOUND statuses instead of an error, so that other batches are still
 * polled.
 */
async function readBatchJobs(
  client: Client,
  wantedJobs: readonly WatchedJob[],
  options: CallOptions,
): Promise<readonly ReadJob[]> {
  const batchId = wantedJobs[0]?.batchId ?? '';
  if (batchId === '') {
    const readAlone = async ({ jobId }: WatchedJob): Promise<ReadJob> => {
      const read = () => client.getRenderJob({ params: { jobId } }, options);
      return { status: 'NOT_FOUND', ...(await nullIfNotFound(read)), jobId };
    };
    return mapBounded(wantedJobs, readAlone, { maxConcurrent: maxConcurrentReads });
  }
  const response = await nullIfNotFound(() =>
    client.getRenderBatch({ params: { batchId } }, options),
  );
  if (!response) return wantedJobs.map(({ jobId }) => ({ jobId, status: 'NOT_FOUND' }));
  const reportedIds = response.jobs.map(({ jobId }) => jobId);
  return [...mapItemsById(reportedIds, response.jobs, ({ jobId }) => jobId).values()];
}
