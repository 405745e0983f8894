// One batch of render jobs as known so far, and when reading it is worth a request. Pure.
import { baseTickMs } from '../../machinery/watch/ticks.ts';

export interface KnownJob {
  /** Job status of the platform, or NOT_FOUND when its batch is gone. */
  status: string;
  errorMessage?: string;
  /** When its first output was seen, or a notification came, before its end was certain. */
  hintedAtMs?: number;
}

/** A job as GET /renders/batch/{batchId}, or its own read, tells of it. */
export interface ReadJob {
  jobId: string;
  status: string;
  errorMessage?: string | null | undefined;
}

export const notFound = 'NOT_FOUND';
/** A job that is not found may not show yet: it is looked for as long as somebody waits for it. */
const ended = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

export function hasEnded(status: string): boolean {
  return ended.has(status);
}

/**
 * News of a batch gathers for a while before it is read, unless all of its jobs have news: for longer the more
 * batches are open, so that a certain number of reads a second is enough for all, but not for more than
 * twice as long as the first job took. Notifications tell of every job, so they are worth more patience.
 */
const gather = {
  listed: { leastMs: 0.8 * baseTickMs, aBatchMs: 100 },
  notified: { leastMs: 1.6 * baseTickMs, aBatchMs: 800 },
  mostMs: 10_000,
};
/** While the allowance is tight news gathers for so many times longer: what is not over yet costs another read. */
const tightPatience = 2.5;
/** Batches without news are read after this time, then after twice the time, for their failures. */
const quietGapMs = 5_000;
const quietGapAtMostMs = 60_000;
/** While notifications can be relied on, failures are among them. */
const reliedGapMs = 15_000;
/** While the allowance is tight most batches have news by then. */
const tightGapMs = 20_000;

export class RenderBatch {
  /** Jobs as reads have told of them, by id. */
  readonly jobs = new Map<string, KnownJob>();
  /** Jobs whose end was not read yet, and that have an output in the list or a notification: since when. */
  readonly #news = new Map<string, number>();
  readonly #waitedSinceMs: number;
  #readAtMs: number;
  #readGapMs = quietGapMs;
  #notified = false;
  #waiting = 1;
  /** Reads that failed one after the other, and when the next is worth a try. */
  #missed = 0;
  #againAtMs = 0;

  constructor(waitedSinceMs: number, nowMs: number) {
    this.#waitedSinceMs = waitedSinceMs;
    this.#readAtMs = nowMs;
  }

  /** @param notified by a notification, not by the list */
  hint(jobId: string, nowMs: number, notified: boolean): void {
    if (this.isOver(jobId)) return;
    this.#notified ||= notified;
    if (!this.#news.has(jobId)) this.#news.set(jobId, nowMs);
  }

  /** So many of its jobs, whose end was not read yet, are waited for. */
  await(jobs: number): void {
    this.#waiting = jobs;
  }

  isOver(jobId: string): boolean {
    return hasEnded(this.jobs.get(jobId)?.status ?? '');
  }

  /**
   * All have news, or it has gathered for long enough.
   * @param open batches that have open jobs
   */
  hasDueNews(nowMs: number, open: number, isTight: boolean): boolean {
    if (this.#news.size === 0 || nowMs < this.#againAtMs) return false;
    const oldestMs = Math.min(...this.#news.values());
    const gatherMs = this.#gatherMs(oldestMs, open) * (isTight ? tightPatience : 1);
    return this.#news.size >= this.#waiting || nowMs - oldestMs >= gatherMs;
  }

  /** The last read of it failed. */
  get isUnread(): boolean {
    return this.#missed > 0;
  }

  /**
   * @param open    batches that have open jobs
   * @param relied  notifications of renders can be relied on
   * @param isTight half of the allowance is spent
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

  /** A read failed; what was known before stays. */
  missed(nowMs: number): void {
    this.#againAtMs = nowMs + Math.min(baseTickMs * 2 ** this.#missed, quietGapAtMostMs);
    this.#missed += 1;
  }

  /** Takes over the answer of a read. */
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
