// The known state of one batch of render jobs, and the decision when to read the batch again. Pure.
import { basePollIntervalMs } from '../../../engine/polling/poll-policy.ts';

export interface KnownJob {
  /** Job status of the platform, or NOT_FOUND if the batch was deleted. */
  status: string;
  errorMessage?: string;
  /** Time when the first output was seen or the notification was received, before a read confirmed the end. */
  noticedAtMs?: number;
}

/** A job in the response of GET /renders/batch/{batchId} or of its own read. */
export interface ReadJob {
  jobId: string;
  status: string;
  errorMessage?: string | null | undefined;
}

/** State, apart from the batch itself, that determines when to read a batch. */
export interface BatchesState {
  /** Number of batches with unfinished jobs. */
  openBatches: number;
  /** True if half of the request allowance is spent. */
  isAllowanceLow: boolean;
}

/** NOT_FOUND is not final, because the job may not be visible yet. It is polled as long as an asset waits for it. */
const finalStatuses = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

export function isFinalStatus(status: string): boolean {
  return finalStatuses.has(status);
}

/**
 * A batch is not read at its first change, but after a delay that collects more changes, unless all its jobs have
 * changed. Above `minMs`, the delay grows with the number of open batches, which bounds the reads per second, up to
 * twice the time that the first job took. Notifications arrive for every job, so they justify a longer delay.
 */
const batchingDelays = {
  listed: { minMs: 0.8 * basePollIntervalMs, perBatchMs: 100 },
  notified: { minMs: 1.6 * basePollIntervalMs, perBatchMs: 800 },
  maxMs: 10_000,
};

/** Factor of the delay while the request allowance is low, because a batch with unfinished jobs costs another read. */
const lowAllowanceDelayFactor = 2.5;
/** Batches without changes are read after this time to detect failures. The time doubles up to `maxQuietGapMs`. */
const quietReadIntervalMs = 5_000;
const maxQuietGapMs = 60_000;
/** Minimum of that time while notifications are reliable, because notifications report failures too. */
const reliableWakeUpsIntervalMs = 15_000;
/** Minimum of that time while the request allowance is low. Most batches have changes by then. */
const lowAllowanceIntervalMs = 20_000;

export class RenderBatch {
  /** Jobs as last read, by id. */
  readonly jobs = new Map<string, KnownJob>();
  /** Unfinished jobs that have an output in the list or a notification, with the time of the first sign. */
  readonly #changedSinceMs = new Map<string, number>();
  /** Number of unfinished jobs that assets wait for. */
  waitingCount = 1;
  readonly #waitedSinceMs: number;
  #readAtMs: number;
  #quietIntervalMs = quietReadIntervalMs;
  #isNotified = false;
  /** Consecutive failed reads, and the earliest time of the next retry. */
  #failedReads = 0;
  #retryAtMs = 0;

  constructor(waitedSinceMs: number, nowMs: number) {
    this.#waitedSinceMs = waitedSinceMs;
    this.#readAtMs = nowMs;
  }

  /** Records that the job has probably changed. @param isFromNotification false if the render list shows the change */
  recordChange(jobId: string, nowMs: number, isFromNotification: boolean): void {
    if (this.isFinished(jobId)) return;
    this.#isNotified ||= isFromNotification;
    if (!this.#changedSinceMs.has(jobId)) this.#changedSinceMs.set(jobId, nowMs);
  }

  isFinished(jobId: string): boolean {
    return isFinalStatus(this.jobs.get(jobId)?.status ?? '');
  }

  /** True if all jobs have changed, or the first change is old enough. */
  hasDueChanges(nowMs: number, { openBatches, isAllowanceLow }: BatchesState): boolean {
    if (this.#changedSinceMs.size === 0 || nowMs < this.#retryAtMs) return false;
    if (this.#changedSinceMs.size >= this.waitingCount) return true;
    const oldestAtMs = Math.min(...this.#changedSinceMs.values());
    const { notified, listed, maxMs } = batchingDelays;
    const { minMs, perBatchMs } = this.#isNotified ? notified : listed;
    const wantedMs = Math.min(openBatches * perBatchMs, 2 * (oldestAtMs - this.#waitedSinceMs));
    const delayMs = Math.min(Math.max(wantedMs, minMs), maxMs);
    return nowMs - oldestAtMs >= delayMs * (isAllowanceLow ? lowAllowanceDelayFactor : 1);
  }

  get hasFailedRead(): boolean {
    return this.#failedReads > 0;
  }

  /** True if the batch should be read now. @param areNotificationsReliable true for those of renders */
  isDue(nowMs: number, state: BatchesState, areNotificationsReliable: boolean): boolean {
    if (this.hasFailedRead) return nowMs >= this.#retryAtMs;
    const quietMs = Math.max(
      this.#quietIntervalMs,
      areNotificationsReliable ? reliableWakeUpsIntervalMs : 0,
      state.isAllowanceLow ? lowAllowanceIntervalMs : 0,
    );
    return this.hasDueChanges(nowMs, state) || nowMs - this.#readAtMs >= quietMs;
  }

  /** Records a failed read. The known state is kept. */
  recordFailedRead(nowMs: number): void {
    this.#retryAtMs = nowMs + Math.min(basePollIntervalMs * 2 ** this.#failedReads, maxQuietGapMs);
    this.#failedReads += 1;
  }

  applyRead(response: readonly ReadJob[], nowMs: number): void {
    const hadChanges = this.#changedSinceMs.size > 0;
    this.#failedReads = 0;
    this.#retryAtMs = 0;
    this.#readAtMs = nowMs;
    this.#quietIntervalMs = hadChanges
      ? quietReadIntervalMs
      : Math.min(this.#quietIntervalMs * 2, maxQuietGapMs);
    for (const { jobId, status, errorMessage } of response) {
      const noticedAtMs = this.#changedSinceMs.get(jobId);
      this.jobs.set(jobId, {
        status,
        ...(errorMessage ? { errorMessage } : {}),
        ...(noticedAtMs === undefined ? {} : { noticedAtMs }),
      });
    }
    this.#changedSinceMs.clear();
  }
}
