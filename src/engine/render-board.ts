// State of render jobs for every wait of a worker. A look reads the top of the render list as a hint,
// then only the batches that moved; now and then every batch, since failures leave no output.
import type { Client } from '../api/client.ts';
import type { RequestCounter } from '../api/counter.ts';
import type { OutputRef } from '../plan/types.ts';
import { Gather } from './gather.ts';
import { nullWhenGone } from './null-when-gone.ts';
import { type ListedRender, RenderList } from './render-list.ts';
import { baseTickMs } from './ticks.ts';

export interface WatchedJob {
  jobId: string;
  batchId: string;
  projectId: string;
  /** Platform clock at submission, ISO 8601. */
  submittedAt: string;
  /** Exactly one job was ever started for the project, and none was retried. */
  only: boolean;
}

/** A job that was started again keeps its id and gets another batch; what was known of it is void then. */
export function watchId({ batchId, jobId }: Pick<WatchedJob, 'batchId' | 'jobId'>): string {
  return `${batchId}/${jobId}`;
}

export interface RenderLook {
  /** Job status of the platform, or NOT_FOUND when its batch is gone. */
  status: string;
  errorMessage?: string;
  /** When its first output was seen, before its end was certain. */
  hintedAtMs?: number;
  /** All outputs of the job; absent when only GET /renders/{jobId} can tell. */
  outputs?: OutputRef[];
}

interface Question {
  job: WatchedJob;
  /** A notification says that it has ended. */
  hinted: boolean;
  requests: RequestCounter;
}

interface Batch {
  jobs: Map<string, Omit<RenderLook, 'outputs'>>;
  /** Unfinished jobs that somebody waits for. */
  readAtMs: number;
  /** Jobs whose end was not read yet and that have an output in the list, or a notification, since when. */
  hints: Map<string, number>;
  /** Notifications come, so it is known when the rest of the batch has news too. */
  notified: boolean;
  readGapMs: number;
}

const notFound = 'NOT_FOUND';
/** News of a batch gather for so long before it is read, unless all of its jobs have news. */
const hintsGatherMs = 0.8 * baseTickMs;
const notifiedGatherMs = 2 * hintsGatherMs;
/** Batches without news are read after this time, then after twice the time, for their failures. */
const quietGapMs = 5_000;
const quietGapAtMostMs = 60_000;
const ended = new Set(['COMPLETED', 'FAILED', 'CANCELLED', notFound]);
/** The job has ended, one way or the other. */
export function isRenderOver(look: RenderLook): boolean {
  return ended.has(look.status);
}

/** Jobs of one POST /renders at most. */
const jobsPerBatch = 50;
/** Outputs carried along; with more, the export asks for the job itself. */
const outputsCarried = 8;

export class RenderBoard {
  readonly #client: Client;
  readonly #now: () => number;
  readonly #gather: Gather<Question, Map<string, RenderLook>>;
  readonly #list: RenderList;
  readonly #batches = new Map<string, Batch>();
  #requests: RequestCounter | undefined;

  /** @param windowMs how long to wait for other callers before looking; default 40. */
  constructor(client: Client, now: () => number = Date.now, windowMs = 40) {
    this.#client = client;
    this.#now = now;
    this.#gather = new Gather(windowMs, (questions) => this.#look(questions));
    this.#list = new RenderList((query) => client.listRenders({ query }, this.#options()));
  }

  /** What a look at so many jobs costs, about: two sweeps of the list, and every other batch. */
  static requestsFor(jobs: number): number {
    return 2 + Math.ceil(jobs / jobsPerBatch / 2);
  }

  /** By `watchId`; jobs whose batch was not read yet are missing. */
  look(
    jobs: readonly WatchedJob[],
    requests: RequestCounter,
    hinted: ReadonlySet<string> = new Set(),
  ): Promise<Map<string, RenderLook>> {
    return this.#gather.ask(
      jobs.map((job) => ({ job, requests, hinted: hinted.has(watchId(job)) })),
    );
  }

  /** A batch has news that is not read yet, because more of it is expected. */
  get hasNews(): boolean {
    for (const { hints } of this.#batches.values()) if (hints.size > 0) return true;
    return false;
  }

  async #look(questions: Question[]): Promise<Map<string, RenderLook>> {
    this.#requests = questions[0]?.requests;
    const jobs = questions.map(({ job }) => job);
    const neededSinceMs = Math.min(...jobs.map(({ submittedAt }) => Date.parse(submittedAt)));
    await this.#hint(questions, neededSinceMs);
    const completed = await this.#readBatches(jobs);
    // Outputs are certain only by a sweep that began after the job was seen to have ended.
    if (completed) await this.#list.sweep(neededSinceMs, jobs.length);
    const looks = new Map<string, RenderLook>();
    for (const job of jobs) {
      const known = this.#batches.get(job.batchId)?.jobs.get(job.jobId);
      if (known) looks.set(watchId(job), this.#answer(job, known));
    }
    this.#dropIdle(jobs);
    return looks;
  }

  async #hint(questions: readonly Question[], neededSinceMs: number): Promise<void> {
    const moved = await this.#list.sweep(neededSinceMs, questions.length);
    for (const { job, hinted } of questions) {
      const { jobId, batchId, projectId, only } = job;
      const batch = this.#batches.get(batchId) ?? {
        jobs: new Map(),
        readAtMs: this.#now(),
        hints: new Map(),
        notified: false,
        readGapMs: quietGapMs,
      };
      this.#batches.set(batchId, batch);
      batch.notified ||= hinted;
      // An output of an open job is news even when an earlier sweep saw it: before anybody asked, or
      // after the batch was read.
      const finished = only && this.#list.outputsOf(projectId).length > 0;
      if (!finished && !hinted && !moved.has(projectId)) continue;
      if (!batch.hints.has(jobId)) batch.hints.set(jobId, this.#now());
    }
  }

  /** Reads the batches that are due; true when a job was seen to complete. */
  async #readBatches(jobs: readonly WatchedJob[]): Promise<boolean> {
    const waiting = new Map<string, number>();
    for (const { batchId } of jobs) waiting.set(batchId, (waiting.get(batchId) ?? 0) + 1);
    const due = [...waiting.keys()].filter((batchId) =>
      this.#isDue(this.#batches.get(batchId), waiting.get(batchId) ?? 0),
    );
    const completions = await Promise.all(due.map((batchId) => this.#readBatch(batchId, jobs)));
    return completions.includes(true);
  }

  /** @param waiting how many of its jobs somebody waits for */
  #isDue(batch: Batch | undefined, waiting: number): boolean {
    if (!batch) return false;
    const nowMs = this.#now();
    const oldestMs = Math.min(...batch.hints.values());
    const gatherMs = batch.notified ? notifiedGatherMs : hintsGatherMs;
    const hintsDue = batch.hints.size >= waiting || nowMs - oldestMs >= gatherMs;
    return (batch.hints.size > 0 && hintsDue) || nowMs - batch.readAtMs >= batch.readGapMs;
  }

  async #readBatch(batchId: string, asked: readonly WatchedJob[]): Promise<boolean> {
    const batch = this.#batches.get(batchId);
    if (!batch) return false;
    const answer = await this.#jobsOf(batchId, asked);
    batch.readAtMs = this.#now();
    const hinted = batch.hints.size > 0;
    batch.readGapMs = hinted ? quietGapMs : Math.min(batch.readGapMs * 2, quietGapAtMostMs);
    let completed = false;
    for (const { jobId, status, errorMessage } of answer) {
      completed ||= status === 'COMPLETED' && batch.jobs.get(jobId)?.status !== status;
      const hintedAtMs = batch.hints.get(jobId);
      batch.jobs.set(jobId, {
        status,
        ...(errorMessage ? { errorMessage } : {}),
        ...(hintedAtMs === undefined ? {} : { hintedAtMs }),
      });
    }
    batch.hints.clear();
    return completed;
  }

  /** A batch that is gone must not fail the look of all the others. */
  async #jobsOf(batchId: string, asked: readonly WatchedJob[]) {
    const read = () => this.#client.getRenderBatch({ params: { batchId } }, this.#options());
    const answer = await nullWhenGone(read);
    if (answer) return answer.jobs;
    const mine = asked.filter((job) => job.batchId === batchId);
    return mine.map(({ jobId }) => ({ jobId, status: notFound, errorMessage: null }));
  }

  #answer(job: WatchedJob, known: Omit<RenderLook, 'outputs'>): RenderLook {
    if (known.status !== 'COMPLETED') return known;
    const listed = this.#list.outputsOf(job.projectId);
    const certain =
      job.only &&
      this.#list.completeSinceMs <= Date.parse(job.submittedAt) &&
      listed.length > 0 &&
      listed.length <= outputsCarried &&
      listed.every(isPlainStill);
    return certain ? { ...known, outputs: listed.map(outputOf) } : known;
  }

  /** Batches that nobody asks for any more and whose jobs have all ended take no memory. */
  #dropIdle(jobs: readonly WatchedJob[]): void {
    if (this.#batches.size < 2_000) return;
    const asked = new Set(jobs.map(({ batchId }) => batchId));
    for (const [batchId, batch] of this.#batches) {
      const over = [...batch.jobs.values()].every(({ status }) => ended.has(status));
      if (over && !asked.has(batchId)) this.#batches.delete(batchId);
    }
  }

  #options() {
    return { priority: 'status' as const, ...(this.#requests ? { scope: this.#requests } : {}) };
  }
}

/** Stills that the list describes in full: no video, no TIFF, an address without a signature. */
function isPlainStill(item: ListedRender): boolean {
  if (item.isVideo || /^tiff?$/i.test(item.fileType)) return false;
  return URL.canParse(item.url) && new URL(item.url).search === '';
}

function outputOf(item: ListedRender): OutputRef {
  const { id, name, fileType, isVideo, isPreview, url } = item;
  return { id, name, fileType, isVideo, isPreview, url };
}
