// State of render jobs for every wait of a worker. A look reads the batches of which there is news, and the
// top of the render list, which has news of the others; now and then every batch, since failures leave no
// output.

import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { ResponseShapeError } from '../../api/errors.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { orUnreadable } from '../../machinery/unreadable.ts';
import { Gather } from '../../machinery/watch/gather.ts';
import { hintsBy, restMs } from '../../machinery/watch/hint-watch.ts';
import { shared } from '../../machinery/watch/lookout.ts';
import { isItsOwn } from '../../machinery/watch/read-each.ts';
import { TickWatch } from '../../machinery/watch/tick-watch.ts';
import { lookGapMs } from '../../machinery/watch/ticks.ts';
import { toldOf } from '../../machinery/watch/told-of.ts';
import { groupBy } from '../../plan/group-by.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { outputRefsOf, outputsCarried } from './job-outputs.ts';
import { areAlike, OutputCounts } from './output-counts.ts';
import type { OutputRef } from './refs.ts';
import { hasEnded, type KnownJob, notFound, type ReadJob, RenderBatch } from './render-batch.ts';
import { type ListedRender, RenderList } from './render-list.ts';

export interface WatchedJob {
  jobId: string;
  /** Empty where nobody knows it: the job is read by itself then. */
  batchId: string;
  projectId: string;
  /** Platform clock at submission, ISO 8601. */
  submittedAt: string;
  /** Since when somebody waits for it, by the clock of the worker. */
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
}

/** The job has ended, one way or the other. */
export function isRenderOver(look: RenderLook): boolean {
  return hasEnded(look.status);
}

/** Jobs of one POST /renders at most. */
const jobsPerBatch = 50;
/** Jobs without a batch are read one by one. */
const readsAtOnce = 8;

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
  #requests: RequestCounter | undefined;
  /** Batches that have open jobs. */
  #open = 0;

  /**
   * @param relied   can notifications of renders be relied on?
   * @param windowMs how long to wait for other callers before looking
   */
  constructor(
    client: Client,
    { now = Date.now, relied = () => false, windowMs = 40 }: RenderBoardOptions = {},
  ) {
    this.#client = client;
    this.#now = now;
    this.#relied = relied;
    this.#gather = new Gather(windowMs, (questions) => this.#look(questions));
    this.#list = new RenderList((query) => client.listRenders({ query }, this.#options()));
  }

  /** Requests of a look at so many jobs, about: two sweeps of the list, and every other batch. */
  static requestsFor(jobs: number): number {
    return 2 + Math.ceil(jobs / jobsPerBatch / 2);
  }

  /** By `watchId`; jobs whose batch was not read yet are missing. */
  look(
    jobs: readonly WatchedJob[],
    requests: RequestCounter,
    hinted: ReadonlySet<string> = new Set(),
  ): Promise<Map<string, RenderLook>> {
    const questions = jobs.map((job) => ({ job, requests, hinted: hinted.has(watchId(job)) }));
    return hinted.size > 0 ? this.#gather.ask(questions, 0) : this.#gather.ask(questions);
  }

  /** A batch has news that it is time to read. */
  get hasDueNews(): boolean {
    const nowMs = this.#now();
    return [...this.#batches.values()].some((batch) => batch.hasDueNews(nowMs, this.#open));
  }

  async #look(questions: Question[]): Promise<Map<string, RenderLook>> {
    this.#requests = questions[0]?.requests;
    const jobs = questions.map(({ job }) => job);
    const neededSinceMs = Math.min(...jobs.map(({ submittedAt }) => Date.parse(submittedAt)));
    for (const { job, hinted } of questions) if (hinted) this.#hint(job, true);
    // Outputs are certain only by a sweep that began after the job was seen to have ended, so the batches
    // that are due come first.
    await this.#readBatches(jobs);
    await this.#sweep(jobs, neededSinceMs);
    // Batches that the list alone has told of are due now; with notifications the next look is not far.
    const isNear = this.#relied();
    if (!isNear && (await this.#readBatches(jobs))) await this.#sweep(jobs, neededSinceMs);
    await this.#count(jobs);
    const looks = new Map<string, RenderLook>();
    for (const job of jobs) {
      const known = this.#batches.get(job.batchId)?.jobs.get(job.jobId);
      if (known) looks.set(watchId(job), this.#answer(job, known));
    }
    this.#dropIdle(jobs);
    return looks;
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

  /** The first of several jobs that are alike to complete tells how many outputs each has. */
  async #count(jobs: readonly WatchedJob[]): Promise<void> {
    const asked: WatchedJob[] = [];
    for (const job of jobs) {
      const { batchId, jobId, alike, only } = job;
      if (!only || alike === undefined) continue;
      if (this.#batches.get(batchId)?.jobs.get(jobId)?.status !== 'COMPLETED') continue;
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

  /** Reads the batches that are due; true when a job was seen to complete. */
  async #readBatches(jobs: readonly WatchedJob[]): Promise<boolean> {
    const open = jobs.filter((job) => !this.#batchOf(job).isOver(job.jobId));
    const waiting = groupBy(open, ({ batchId }) => batchId);
    const [nowMs, relied] = [this.#now(), this.#relied()];
    this.#open = waiting.size;
    let error: unknown;
    const completions = [...waiting].map(async ([batchId, asked]) => {
      const batch = this.#batches.get(batchId);
      batch?.await(asked.length);
      if (!batch?.isDue(nowMs, this.#open, relied)) return false;
      try {
        return batch.take(await this.#jobsOf(batchId, asked), this.#now());
      } catch (thrown) {
        if (!isItsOwn(thrown)) throw thrown;
        batch.missed(this.#now());
        error = thrown;
        return false;
      }
    });
    const completed = (await Promise.all(completions)).includes(true);
    // A batch that cannot be read holds up its own assets; when none can be read, all assets wait.
    const isStuck = [...waiting.keys()].every((id) => this.#batches.get(id)?.isUnread);
    if (error !== undefined && isStuck) throw error;
    return completed;
  }

  /** A batch that is gone must not fail the look of all the others. */
  async #jobsOf(batchId: string, asked: readonly WatchedJob[]): Promise<readonly ReadJob[]> {
    if (batchId === '')
      return mapBounded(asked, (job) => this.#jobAlone(job), { atOnce: readsAtOnce });
    const read = () => this.#client.getRenderBatch({ params: { batchId } }, this.#options());
    const answer = await nullWhenGone(read);
    if (!answer) return asked.map(({ jobId }) => ({ jobId, status: notFound }));
    const told = answer.jobs.map(({ jobId }) => jobId);
    return [...toldOf(told, answer.jobs, ({ jobId }) => jobId).values()];
  }

  async #jobAlone({ jobId }: WatchedJob): Promise<ReadJob> {
    const read = () => this.#client.getRenderJob({ params: { jobId } }, this.#options());
    return { status: notFound, ...(await nullWhenGone(read)), jobId };
  }

  #answer(job: WatchedJob, known: KnownJob): RenderLook {
    if (known.status !== 'COMPLETED') return known;
    const listed = this.#list.outputsOf(job.projectId);
    const count = this.#counts.of(job);
    const certain =
      job.only &&
      this.#list.completeSinceMs <= Date.parse(job.submittedAt) &&
      listed.length === count &&
      listed.length <= outputsCarried;
    const outputs = certain ? listed.flatMap((item) => plainStillOf(item) ?? []) : [];
    return certain && outputs.length === listed.length ? { ...known, outputs } : known;
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
    look: (jobs, requests, hinted) => board.look(jobs, requests, hinted),
    isOver: isRenderOver,
    late,
    gapMs: (open) => lookGapMs(client.pace, RenderBoard.requestsFor(open)),
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
