// The known state of one batch of render jobs, and the decision when to read the batch again. Pure.
import { baseTickMs } from '../../machinery/watch/ticks.ts';

export interface KnownJob {
  /** Job status of the platform, or NOT_FOUND if the batch was deleted. */
  status: string;
  errorMessage?: string;
  /** When its first output was seen, or its notification received, before a read confirmed the end. */
  hintedAtMs?: number;
}

/** A job in the response of GET /renders/batch/{batchId} or of its own read. */
export interface ReadJob {
  jobId: string;
  status: string;
  errorMessage?: string | null | undefined;
}

export const notFound = 'NOT_FOUND';
/** NOT_FOUND is not final: the job may not be visible yet, so it is polled as long as an asset waits for it. */
const ended = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

export function hasEnded(status: string): boolean {
  return ended.has(status);
}

/**
 * A batch is not read at its first change, but after a delay that collects more changes, unless all its jobs have changed. The
 * delay grows with the number of open batches, which bounds the reads per second, but is at most twice the time that the first
 * job took. Notifications arrive for every job, so they justify a longer delay.
 */
const gather = {
  listed: { leastMs: 0.8 * baseTickMs, aBatchMs: 100 },
  notified: { leastMs: 1.6 * baseTickMs, aBatchMs: 800 },
  mostMs: 10_000,
};
/** Factor of the delay while the request allowance is low: a batch with unfinished jobs costs another read. */
const tightPatience = 2.5;
/** Batches without changes are read after this time, then after twice the time, to detect failures. */
const quietGapMs = 5_000;
const quietGapAtMostMs = 60_000;
/** Interval while notifications are reliable, because they report failures too. */
const reliedGapMs = 15_000;
/** Interval while the request allowance is low; most batches have changes by then. */
const tightGapMs = 20_000;

export class RenderBatch {
  /** Jobs as last read, by id. */
  readonly jobs = new Map<string, KnownJob>();
  /** Unfinished jobs that have an output in the list or a notification, with the time of the first sign. */
  readonly #news = new Map<string, number>();
  readonly #waitedSinceMs: number;
  #readAtMs: number;
  #readGapMs = quietGapMs;
  #notified = false;
  #waiting = 1;
  /** Consecutive failed reads, and the earliest time of the next retry. */
  #missed = 0;
  #againAtMs = 0;

  constructor(waitedSinceMs: number, nowMs: number) {
    this.#waitedSinceMs = waitedSinceMs;
    this.#readAtMs = nowMs;
  }

  /**
   * Notes a sign that the job has changed.
   * @param notified true for a notification, false for the render list
   */
  hint(jobId: string, nowMs: number, notified: boolean): void {
    if (this.isOver(jobId)) return;
    this.#notified ||= notified;
    if (!this.#news.has(jobId)) this.#news.set(jobId, nowMs);
  }

  /** @param jobs number of unfinished jobs that assets wait for */
  await(jobs: number): void {
    this.#waiting = jobs;
  }

  isOver(jobId: string): boolean {
    return hasEnded(this.jobs.get(jobId)?.status ?? '');
  }

  /**
   * True if all jobs have changed, or the delay since the first change has passed.
   * @param open number of batches with unfinished jobs
   */
  hasDueNews(nowMs: number, open: number, isTight: boolean): boolean {
    if (this.#news.size === 0 || nowMs < this.#againAtMs) return false;
    const oldestMs = Math.min(...this.#news.values());
    const gatherMs = this.#gatherMs(oldestMs, open) * (isTight ? tightPatience : 1);
    return this.#news.size >= this.#waiting || nowMs - oldestMs >= gatherMs;
  }

  /** True if the last read failed. */
  get isUnread(): boolean {
    return this.#missed > 0;
  }

  /**
   * @param open    number of batches with unfinished jobs
   * @param relied  true if notifications of renders are reliable
   * @param isTight true if half of the request allowance is spent
   */
  isDue(
    nowMs: number,
    { open, relied, isTight }: { open: number; relied: boolean; isTight: boolean },
  ): boolean {
    if (this.isUnread) return nowMs >= this.#againAtMs;
    const leastMs = Math.max(relied ? reliedGapMs : 0, isTight ? tightGapMs : 0);
    const quietMs = Math.max(this.#readGapMs, leastMs);
    return this.hasDueNews(nowMs, open, isTight) || nowMs - this.#readAtMs >= quietMs;
  }

  /** Notes a failed read. The known state remains. */
  missed(nowMs: number): void {
    this.#againAtMs = nowMs + Math.min(baseTickMs * 2 ** this.#missed, quietGapAtMostMs);
    this.#missed += 1;
  }

  /** Applies the response of a read. */
  take(answer: readonly ReadJob[], nowMs: number): void {
    const hadNews = this.#news.size > 0;
    this.#missed = 0;
    this.#againAtMs = 0;
    this.#readAtMs = nowMs;
    this.#readGapMs = hadNews ? quietGapMs : Math.min(this.#readGapMs * 2, quietGapAtMostMs);
    for (const { jobId, status, errorMessage } of answer) {
      const hintedAtMs = this.#news.get(jobId);
      this.jobs.set(jobId, {
        status,
        ...(errorMessage ? { errorMessage } : {}),
        ...(hintedAtMs === undefined ? {} : { hintedAtMs }),
      });
    }
    this.#news.clear();
  }

  #gatherMs(oldestMs: number, open: number): number {
    const { leastMs, aBatchMs } = this.#notified ? gather.notified : gather.listed;
    const wantedMs = Math.min(open * aBatchMs, 2 * (oldestMs - this.#waitedSinceMs));
    return Math.min(Math.max(wantedMs, leastMs), gather.mostMs);
  }
}
