// Polls render jobs for all waits of a worker. A poll reads the top of the render list, which shows changed jobs by their outputs,
// and the batches of changed jobs. Every batch is also read at a long interval, because failed jobs have no outputs.

import type { Client } from '../../api/client.ts';
import { monotonicMs } from '../../api/clock.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { ResponseShapeError } from '../../api/errors.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { orUnreadable } from '../../machinery/unreadable.ts';
import { Gather } from '../../machinery/watch/gather.ts';
import { hintsBy, restMs } from '../../machinery/watch/hint-watch.ts';
import { shared } from '../../machinery/watch/lookout.ts';
import { isItsOwn } from '../../machinery/watch/read-each.ts';
import { TickWatch } from '../../machinery/watch/tick-watch.ts';
import { isHalfSpent, lookGapMs } from '../../machinery/watch/ticks.ts';
import { groupBy } from '../../plan/group-by.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { outputRefsOf, outputsCarried } from './job-outputs.ts';
import { areAlike, OutputCounts } from './output-counts.ts';
import { jobsOfBatch, readsAtOnce } from './read-jobs.ts';
import type { OutputRef } from './refs.ts';
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
  only: boolean;
  /** Jobs with the same value have the same number of outputs, if submitted at about the same time; absent if unknown. */
  alike?: string | undefined;
}

/** A retried job keeps its id but gets another batch, so both identify the attempt. */
export function watchId({ batchId, jobId }: Pick<WatchedJob, 'batchId' | 'jobId'>): string {
  return `${batchId}/${jobId}`;
}

export interface RenderLook extends KnownJob {
  /** All outputs of the job; absent if only GET /renders/{jobId} can provide them. */
  outputs?: OutputRef[];
}

interface Question {
  job: WatchedJob;
  /** A notification says that the job has finished. */
  hinted: boolean;
  requests: RequestCounter;
  tell: Tell;
}

type Tell = (looks: ReadonlyMap<string, RenderLook>) => void;

/** True if the job has completed, failed or was cancelled. */
export function isRenderOver(look: RenderLook): boolean {
  return hasEnded(look.status);
}

/** Page size of the render list. */
const outputsPerRequest = 100;

interface RenderBoardOptions {
  now?: () => number;
  relied?: () => boolean;
  windowMs?: number;
}

export class RenderBoard {
  readonly #client: Client;
  readonly #now: () => number;
  readonly #gather: Gather<Question, Map<string, RenderLook>>;
  readonly #list: RenderList;
  readonly #batches = new Map<string, RenderBatch>();
  readonly #counts = new OutputCounts();
  readonly #relied: () => boolean;
  #counting: Promise<void> = Promise.resolve();
  #requests: RequestCounter | undefined;
  /** Number of batches with unfinished jobs. */
  #open = 0;

  /**
   * @param relied   returns true if notifications of renders are reliable
   * @param windowMs how long to collect requests of other callers into one batch
   */
  constructor(
    client: Client,
    { now = monotonicMs, relied = () => false, windowMs = 40 }: RenderBoardOptions = {},
  ) {
    this.#client = client;
    this.#now = now;
    this.#relied = relied;
    this.#gather = new Gather(windowMs, (questions) => this.#look(questions));
    this.#list = new RenderList((query) => client.listRenders({ query }, this.#options()));
  }

  /** Approximate number of requests to poll this number of jobs: the list, and every other batch. */
  static requestsFor(jobs: number): number {
    return 2 * Math.ceil(jobs / outputsPerRequest);
  }

  /**
   * Results by `watchId`. Jobs whose batch was not read yet are left out.
   * @param tell called with the results of a batch as soon as they are complete
   */
  look(
    jobs: readonly WatchedJob[],
    requests: RequestCounter,
    hinted: ReadonlySet<string> = new Set(),
    tell: Tell = () => {},
  ): Promise<Map<string, RenderLook>> {
    const questions = jobs.map((job) => {
      return { job, requests, hinted: hinted.has(watchId(job)), tell };
    });
    return hinted.size > 0 ? this.#gather.ask(questions, 0) : this.#gather.ask(questions);
  }

  /** True if some batch has changes and should be read now. */
  get hasDueNews(): boolean {
    const nowMs = this.#now();
    const isTight = isHalfSpent(this.#client.pace);
    return [...this.#batches.values()].some((batch) =>
      batch.hasDueNews(nowMs, this.#open, isTight),
    );
  }

  async #look(questions: Question[]): Promise<Map<string, RenderLook>> {
    this.#requests = questions[0]?.requests;
    const jobs = questions.map(({ job }) => job);
    const neededSinceMs = Math.min(...jobs.map(({ submittedAt }) => Date.parse(submittedAt)));
    for (const { job, hinted } of questions) if (hinted) this.#hint(job, true);
    const tells = new Set(questions.map(({ tell }) => tell));
    await this.#sweep(jobs, neededSinceMs);
    await this.#readBatches(jobs, async (asked) => {
      await this.#count(asked);
      const looks = this.#looksAt(asked.filter((job) => !this.#isToBeListed(job)));
      for (const tell of tells) tell(looks);
    });
    if (jobs.some((job) => this.#isToBeListed(job))) await this.#sweep(jobs, neededSinceMs);
    await this.#count(jobs);
    this.#dropIdle(jobs);
    return this.#looksAt(jobs);
  }

  #looksAt(jobs: readonly WatchedJob[]): Map<string, RenderLook> {
    const looks = new Map<string, RenderLook>();
    for (const job of jobs) {
      const known = this.#batches.get(job.batchId)?.jobs.get(job.jobId);
      if (known) looks.set(watchId(job), this.#answer(job, known));
    }
    return looks;
  }

  /** True if the job completed after the list was read, or the list has a gap: another sweep may show its outputs. */
  #isToBeListed(job: WatchedJob): boolean {
    const count = job.only && this.#isComplete(job) ? this.#counts.of(job) : undefined;
    if (count === undefined || this.#list.outputsOf(job.projectId).length > count) return false;
    return !this.#isListed(job);
  }

  /** True if all outputs of the job are in a gapless part of the list. */
  #isListed(job: WatchedJob): boolean {
    const isWhole = this.#list.completeSinceMs <= Date.parse(job.submittedAt);
    const listed = this.#list.outputsOf(job.projectId).length;
    return job.only && isWhole && listed === this.#counts.of(job);
  }

  #isComplete({ batchId, jobId }: WatchedJob): boolean {
    return this.#batches.get(batchId)?.jobs.get(jobId)?.status === 'COMPLETED';
  }

  /** Reads the list and notes which jobs have new outputs. */
  async #sweep(jobs: readonly WatchedJob[], neededSinceMs: number): Promise<void> {
    const moved = await this.#list.sweep(neededSinceMs, jobs.length);
    for (const job of jobs) {
      const { projectId, only } = job;
      // The output of an unfinished job counts as a change even if an earlier sweep saw it, because the job may not have been
      // watched then, or its batch may have been read before.
      const finished = only && this.#list.outputsOf(projectId).length > 0;
      if (finished || moved.has(projectId)) this.#hint(job, false);
    }
  }

  /** Reads the output count of one completed job of each kind. Runs sequentially, so that no job is read twice. */
  #count(jobs: readonly WatchedJob[]): Promise<void> {
    const counting = this.#counting.then(() => this.#countNow(jobs));
    this.#counting = counting.catch(() => {});
    return counting;
  }

  async #countNow(jobs: readonly WatchedJob[]): Promise<void> {
    const asked: WatchedJob[] = [];
    for (const job of jobs) {
      const { alike, only } = job;
      if (!only || alike === undefined) continue;
      if (!this.#isComplete(job)) continue;
      const isCounted = this.#counts.of(job) !== undefined;
      if (!isCounted && !asked.some((other) => areAlike(other, job))) asked.push(job);
    }
    await mapBounded(asked, (job) => this.#countBy(job), { atOnce: readsAtOnce });
  }

  async #countBy(asked: WatchedJob): Promise<void> {
    const { jobId } = asked;
    const read = () => this.#client.getRenderJob({ params: { jobId } }, this.#options());
    // If the job cannot be read, each job is read when its files are delivered.
    const job = await orUnreadable(() => nullWhenGone(read));
    if (job === null || job instanceof ResponseShapeError || job.status !== 'COMPLETED') return;
    this.#counts.add(asked, outputRefsOf(job).length);
  }

  #hint(job: WatchedJob, notified: boolean): void {
    this.#batchOf(job).hint(job.jobId, this.#now(), notified);
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
    const open = jobs.filter((job) => !this.#batchOf(job).isOver(job.jobId));
    const waiting = groupBy(open, ({ batchId }) => batchId);
    const nowMs = this.#now();
    this.#open = waiting.size;
    const relied = this.#relied();
    const state = { open: waiting.size, relied, isTight: isHalfSpent(this.#client.pace) };
    let error: unknown;
    const reads = [...waiting].map(async ([batchId, asked]) => {
      const batch = this.#batches.get(batchId);
      batch?.await(asked.length);
      if (!batch?.isDue(nowMs, state)) return;
      try {
        batch.take(await jobsOfBatch(this.#client, batchId, asked, this.#options()), this.#now());
      } catch (thrown) {
        if (!isItsOwn(thrown)) throw thrown;
        batch.missed(this.#now());
        error = thrown;
        return;
      }
      await read(asked);
    });
    await Promise.all(reads);
    // A batch that cannot be read delays only its own assets. If no batch can be read, the poll fails.
    const isStuck = [...waiting.keys()].every((id) => this.#batches.get(id)?.isUnread);
    if (error !== undefined && isStuck) throw error;
  }

  #answer(job: WatchedJob, known: KnownJob): RenderLook {
    if (known.status !== 'COMPLETED') return known;
    const listed = this.#list.outputsOf(job.projectId);
    if (!this.#isListed(job) || listed.length > outputsCarried) return known;
    const outputs = listed.flatMap((item) => plainStillOf(item) ?? []);
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
function plainStillOf(item: ListedRender): OutputRef | null {
  const { id, name = id, fileType = '', isVideo, isPreview = false, url = '' } = item;
  if (isVideo !== false || fileType === '' || /^tiff?$/i.test(fileType)) return null;
  if (!URL.canParse(url) || new URL(url).search !== '') return null;
  return { id, name, fileType, isVideo, isPreview, url };
}

/** Results are keyed by `watchId`. */
export const renderLooks = shared((lookout) => {
  const { client, hints, late, now } = lookout;
  const board = new RenderBoard(client, { now, relied: () => hints.relied('render') });
  return new TickWatch<WatchedJob, RenderLook>({
    name: 'renders',
    idOf: watchId,
    look: (jobs, requests, hinted, tell) => board.look(jobs, requests, hinted, tell),
    isOver: isRenderOver,
    late,
    gapMs: (jobs) => lookGapMs(client.pace, RenderBoard.requestsFor(jobs)),
    rationed: {
      pace: client.pace,
      priceOf: (jobs) => RenderBoard.requestsFor(jobs),
      page: outputsPerRequest,
      byPages: false,
    },
    hints: {
      ...hintsBy(
        lookout,
        ({ jobId }: WatchedJob) => `render/${jobId}`,
        (open) => RenderBoard.requestsFor(open),
      ),
      // One page of the list covers all jobs, so a wake-up for one job polls all of them.
      wholeBoard: true,
      restMs: () => (hints.relied('render') && !board.hasDueNews ? restMs(1) : 0),
    },
    now,
  });
});
