// Follows a run until it ends, pauses with a cause, has no worker, or the user interrupts the command.
import type { Client } from '@temporalio/client';
import { type Progress, startProgress } from '../../cli/runs/progress.ts';
import type { ProgressView } from '../../cli/runs/progress-view.ts';
import { resumeHint } from '../../cli/runs/resume-hint.ts';
import type { Session } from '../../cli/session.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatListing } from '../../plan/contract/format-listing.ts';
import { formatCoarseTime } from '../../plan/helpers/format-coarse-time.ts';
import { hostQueue } from '../../plan/run/queues.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import { isUnreadable } from '../../temporal/codec/codec-errors.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import { untilAborted } from '../interrupts.ts';
import { RenderlineError } from '../renderline-error.ts';
import {
  findRetryMessage,
  findUnresponsive,
  formatUnresponsive,
  readFreshProgress,
  stepRows,
  type UnresponsiveWorkflow,
} from './fresh-progress.ts';
import { RemainingTime } from './remaining-time.ts';
import { type RunSnapshot, readSnapshot } from './run-snapshot.ts';
import { collectWaits } from './run-waits.ts';
import { ServerOutage } from './server-outage.ts';

/** Why following stopped, with the last snapshot. */
export type FollowResult =
  | { end: 'ended'; snapshot: RunSnapshot; last: RunProgress | null }
  | { end: 'paused'; snapshot: RunSnapshot; cause: RunCause; last: RunProgress };

/** Following fails when no worker has answered or polled for this time. */
const workerTimeoutMs = 60_000;

/** Interval between checks of what the run waits for. */
const waitCheckIntervalMs = 10_000;
/** Shorter silences of the worker are not shown. */
const silenceThresholdMs = 10_000;

interface FollowOptions {
  app: Session;
  client: Client;
  run: string;
  /** Aborts when the user interrupts the command. */
  leave: AbortSignal;
  /** Poll interval. @default depends on the kind of output */
  pollIntervalMs?: number;
}

export async function followRun(options: FollowOptions): Promise<FollowResult> {
  const { io, output } = options.app;
  const progress = startProgress(io, output.quiet || output.logsJson);
  try {
    return await new Follower(options, progress).followToEnd();
  } finally {
    progress.close();
  }
}

class Follower {
  readonly #options: FollowOptions;
  readonly #progress: Progress;
  readonly #remainingTime = new RemainingTime();
  readonly #ended: Promise<unknown>;
  #last: RunProgress | null = null;
  #answeredAtMs: number;
  readonly #outage: ServerOutage;
  #snapshot: RunSnapshot | null = null;
  #waitSeenAtMs = 0;
  #remark: string | null = null;
  /** Why the worker's last response cannot be decrypted here. */
  #unreadable: string | null = null;
  #isServerAway = false;
  /** Time of the run's last response, or the start of following. */
  #runAnsweredAtMs: number;
  #isFresh = false;

  constructor(following: FollowOptions, progress: Progress) {
    this.#options = following;
    this.#progress = progress;
    this.#answeredAtMs = following.app.now();
    this.#runAnsweredAtMs = this.#answeredAtMs;
    this.#outage = new ServerOutage(following.run, () => following.app.now());
    // Wakes the loop when the run ends.
    this.#ended = following.client.workflow
      .getHandle(following.run)
      .result()
      .catch(() => undefined);
  }

  async followToEnd(): Promise<FollowResult> {
    const { run, leave } = this.#options;
    const interrupted = untilAborted(leave).then(() => {
      throw leftError(run);
    });
    interrupted.catch(() => undefined);
    let ended: Promise<unknown> | null = this.#ended.then(() => {
      // Only once, so that a run that continues under a new execution does not make the loop spin.
      ended = null;
    });
    for (;;) {
      const round = this.#pollUnlessAway();
      // After an interrupt nobody awaits this promise any more.
      round.catch(() => undefined);
      const followed = await Promise.race([round, interrupted]);
      if (followed !== null) return followed;
      const delay = startDelay(this.#options.pollIntervalMs ?? this.#progress.pollIntervalMs);
      await Promise.race([delay.done, interrupted, ...(ended === null ? [] : [ended])]).finally(
        delay.cancel,
      );
    }
  }

  /** Polls once; null if the run continues or the server does not respond. */
  async #pollUnlessAway(): Promise<FollowResult | null> {
    try {
      const followed = await this.#poll();
      this.#outage.noteResponse();
      return followed;
    } catch (error) {
      this.#remark = this.#outage.tolerateError(error);
      this.#isServerAway = true;
      this.#isFresh = false;
      // Workers cannot answer while the server is unreachable, so this time does not count against them.
      this.#answeredAtMs = this.#options.app.now();
      this.#show();
      return null;
    }
  }

  async #poll(): Promise<FollowResult | null> {
    const { client, run } = this.#options;
    const snapshot = await readSnapshot(client, run);
    this.#snapshot = snapshot;
    if (this.#isServerAway) {
      this.#remark = null;
      this.#waitSeenAtMs = 0;
    }
    this.#isServerAway = false;
    if (snapshot.status !== 'running') return { end: 'ended', snapshot, last: this.#last };
    const progress = await this.#queryProgress();
    if (progress?.state === 'paused' && progress.cause !== null) {
      return { end: 'paused', snapshot, cause: progress.cause, last: progress };
    }
    await this.#noteResponse(progress, snapshot);
    this.#show();
    return null;
  }

  /** null if no worker answers, or if its response cannot be decrypted here. */
  async #queryProgress(): Promise<RunProgress | null> {
    const { client, run } = this.#options;
    this.#unreadable = null;
    try {
      return await readFreshProgress(client, run);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#unreadable = error.message;
      return null;
    }
  }

  async #noteResponse(progress: RunProgress | null, snapshot: RunSnapshot): Promise<void> {
    const { app, client, run } = this.#options;
    const nowMs = app.now();
    this.#isFresh = progress !== null;
    if (progress !== null) {
      this.#last = progress;
      this.#answeredAtMs = nowMs;
      this.#runAnsweredAtMs = nowMs;
      await this.#noteWait(progress, snapshot, nowMs);
      return;
    }
    this.#waitSeenAtMs = 0;
    if (this.#unreadable !== null) {
      // An unreadable response still proves that a worker answers.
      this.#answeredAtMs = nowMs;
      this.#remark = this.#unreadable;
      return;
    }
    const trouble = await findUnresponsive(client, null, run);
    if (trouble !== null) return this.#noteTrouble(trouble, nowMs);
    const { workers } = await findWorkers(client, snapshot.taskQueue, nowMs);
    if (workers > 0) {
      this.#answeredAtMs = Math.max(this.#answeredAtMs, nowMs - workerTimeoutMs / 2);
      this.#remark = this.#silence(nowMs);
      return;
    }
    this.#remark = `no worker at task queue "${snapshot.taskQueue}": start one with \`renderline worker\``;
    if (nowMs - this.#answeredAtMs < workerTimeoutMs) return;
    throw new RenderlineError(
      commandFailures.NO_WORKER,
      `No worker has answered for ${workerTimeoutMs / 1000} s at task queue "${snapshot.taskQueue}". The run ${run} waits for one.`,
      {
        fix: `Start one: renderline worker\nFollow it again: renderline show ${run} --wait`,
        details: { run },
      },
    );
  }

  /** Notes a worker that polled recently but does not answer: it is busy, or it died less than a minute ago. */
  #silence(nowMs: number): string | null {
    const silentMs = nowMs - this.#runAnsweredAtMs;
    if (silentMs < silenceThresholdMs) return null;
    const old = this.#last === null ? '' : '; the figures are of that time';
    return `no worker has answered for ${formatCoarseTime(silentMs)}${old}`;
  }

  /** Notes what a run waits for without a time limit: a worker on its host, or an activity that fails and is retried. */
  async #noteWait(progress: RunProgress, snapshot: RunSnapshot, nowMs: number): Promise<void> {
    if (nowMs - this.#waitSeenAtMs < waitCheckIntervalMs) return;
    this.#waitSeenAtMs = nowMs;
    const { client, run } = this.#options;
    this.#remark =
      (await this.#missingHost(progress, snapshot, nowMs)) ??
      (await findRetryMessage(client, progress, run));
  }

  async #missingHost({ host }: RunProgress, { taskQueue }: RunSnapshot, nowMs: number) {
    if (host === undefined) return null;
    const queue = hostQueue(taskQueue, host);
    const { workers } = await findWorkers(this.#options.client, queue, nowMs, 'activities');
    return workers > 0 ? null : `waits for a worker on the host "${host}"`;
  }

  #noteTrouble(trouble: UnresponsiveWorkflow, nowMs: number): void {
    this.#remark = formatUnresponsive(trouble);
    if (nowMs - this.#answeredAtMs < workerTimeoutMs) return;
    const { run } = this.#options;
    const { workflowId, why, fix, isStranded } = trouble;
    throw new RenderlineError(
      isStranded ? commandFailures.NO_WORKER : commandFailures.WORKERS_FAIL,
      `The run ${run} makes no progress. ${workflowId}: ${why}.`,
      { fix: `${fix}\nFollow it again: renderline show ${run} --wait`, details: { run } },
    );
  }

  #show(): void {
    const { app, run } = this.#options;
    const nowMs = app.now();
    const snapshot = this.#snapshot;
    const figures = {
      state: this.#last?.state ?? (snapshot?.hasStarted ? 'running' : 'starting'),
      totals: { ...(this.#last?.totals ?? noTotals) },
      steps: stepRows(this.#last, snapshot?.memo?.steps ?? []),
      listing: this.#last?.discovery ? formatListing(this.#last.discovery) : null,
    };
    const view: ProgressView = {
      ...figures,
      run,
      cause: this.#last?.cause ?? null,
      requests: Object.values(this.#last?.requests ?? {}).reduce((sum, n) => sum + n, 0),
      elapsedMs: snapshot === null ? 0 : nowMs - snapshot.startedAtMs,
      // Stale figures give neither a pace nor the current waits.
      remainingMs: this.#isFresh ? this.#remainingTime.estimate(figures, nowMs) : null,
      waits: this.#isFresh ? collectWaits(this.#last) : [],
      nowMs,
      remark: this.#remark,
    };
    this.#progress.show(view);
  }
}

const noTotals = { total: 0, complete: 0, failed: 0, skipped: 0 };

function leftError(run: string): RenderlineError {
  return new RenderlineError(
    commandFailures.INTERRUPTED,
    `The run ${run} continues without this command.`,
    {
      fix: resumeHint(run),
      details: { run },
    },
  );
}

function startDelay(ms: number): { done: Promise<void>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const done = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { done, cancel: () => clearTimeout(timer) };
}
