// State of render jobs for every wait of a worker. A look reads the batches of which there is news, and the
// top of the render list, which has news of the others; now and then every batch, since failures leave no
// output.

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
  /** Empty where nobody knows it: the job is read by itself then. */
  batchId: string;
  projectId: string;
  /** Platform clock at submission, ISO 8601. */
  submittedAt: string;
  /** Since when somebody waits for it, by the clock of the looks. */
  waitedSinceMs: number;
  /** Exactly one job was ever started for the project, and none was retried. */
  only: boolean;
  /** Mark of jobs that have as many outputs each, if they were submitted at about one time; absent where nobody knows. */
  alike?: string | undefined;
}

/** A job that was started again keeps its id and gets another batch; what was known of it is void then. */
export function watchId({ batchId, jobId }: Pick<WatchedJob, 'batchId' | 'jobId'>): string {
  return `${batchId}/${jobId}`;
}

export interface RenderLook extends KnownJob {
  /** All outputs of the job, as many as those that are alike have; absent when only GET /renders/{jobId} can tell. */
  outputs?: OutputRef[];
}

interface Question {
  job: WatchedJob;
  /** A notification says that it has ended. */
  hinted: boolean;
  requests: RequestCounter;
  tell: Tell;
}

type Tell = (looks: ReadonlyMap<string, RenderLook>) => void;

/** The job has ended, one way or the other. */
export function isRenderOver(look: RenderLook): boolean {
  return hasEnded(look.status);
}

/** Outputs of a page of the list. */
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
  /** Batches that have open jobs. */
  #open = 0;

  /**
   * @param relied   can notifications of renders be relied on?
   * @param windowMs how long to wait for other callers before looking
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

  /** Requests of a look at so many jobs, about: the list, and every other batch. */
  static requestsFor(jobs: number): number {
    return 2 * Math.ceil(jobs / outputsPerRequest);
  }

  /**
   * By `watchId`; jobs whose batch was not read yet are missing.
   * @param tell is given the jobs of a batch as soon as all is known of them
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

  /** A batch has news that it is time to read. */
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

  /** It has ended since the list was read, or what was read has a gap: another sweep may show its outputs. */
  #isToBeListed(job: WatchedJob): boolean {
    const count = job.only && this.#isComplete(job) ? this.#counts.of(job) : undefined;
    if (count === undefined || this.#list.outputsOf(job.projectId).length > count) return false;
    return !this.#isListed(job);
  }

  /** All of its outputs are in a part of the list that has no gap. */
  #isListed(job: WatchedJob): boolean {
    const isWhole = this.#list.completeSinceMs <= Date.parse(job.submittedAt);
    const listed = this.#list.outputsOf(job.projectId).length;
    return job.only && isWhole && listed === this.#counts.of(job);
  }

  #isComplete({ batchId, jobId }: WatchedJob): boolean {
    return this.#batches.get(batchId)?.jobs.get(jobId)?.status === 'COMPLETED';
  }

  /** Takes note of the outputs that are new in the list. */
  async #sweep(jobs: readonly WatchedJob[], neededSinceMs: number): Promise<void> {
    const moved = await this.#list.sweep(neededSinceMs, jobs.length);
    for (const job of jobs) {
      const { projectId, only } = job;
      // An output of an open job is news even when an earlier sweep saw it: before anybody asked, or
      // after the batch was read.
      const finished = only && this.#list.outputsOf(projectId).length > 0;
      if (finished || moved.has(projectId)) this.#hint(job, false);
    }
  }

  /** The first of several jobs that are alike to complete tells how many outputs each has. One after the other, so that none is asked twice. */
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
    // Where it cannot be read each job is asked for its own when its files are fetched.
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

  /** Reads the batches that are due. @param read is given the jobs of each that were asked about */
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
    // A batch that cannot be read holds up its own assets; when none can be read, all assets wait.
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

  /** Batches that nobody asks for any more and whose jobs have all ended take no memory. */
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

/** The output of a still that the list describes in full; null for videos, TIFFs, and addresses with a signature. */
function plainStillOf(item: ListedRender): OutputRef | null {
  const { id, name = id, fileType = '', isVideo, isPreview = false, url = '' } = item;
  if (isVideo !== false || fileType === '' || /^tiff?$/i.test(fileType)) return null;
  if (!URL.canParse(url) || new URL(url).search !== '') return null;
  return { id, name, fileType, isVideo, isPreview, url };
}

/** By `watchId`. */
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
      // The top of the list tells of every job, so no job is worth a look of its own.
      wholeBoard: true,
      restMs: () => (hints.relied('render') && !board.hasDueNews ? restMs(1) : 0),
    },
    now,
  });
});
