// Follows a run until it ends, pauses with a cause, waits only for people, has no worker, or the caller leaves.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { waitForAbort } from '../../api/abort.ts';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatListing } from '../../plan/contract/format-listing.ts';
import { formatCoarseTime } from '../../plan/helpers/format-coarse-time.ts';
import { hostQueue } from '../../plan/run/queues.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import { isUnreadableError } from '../../temporal/codec/codec-errors.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import {
  findRetryMessage,
  findUnresponsive,
  formatUnresponsive,
  readFreshProgress,
  stepRows,
  type UnresponsiveWorkflow,
} from './fresh-progress.ts';
import { openStoreOfRun } from './open-run-store.ts';
import type { ProgressListener } from './progress-report.ts';
import { RemainingTime } from './remaining-time.ts';
import { exitCodeOfRun, type RunDetails, readRunDetails, runPausedError } from './run-details.ts';
import { sumRequests } from './run-shape.ts';
import { type RunSnapshot, readSnapshot } from './run-snapshot.ts';
import { collectWaits, findAwaitedDecision } from './run-waits.ts';
import { formatResumeHint, ServerOutage } from './server-outage.ts';
import { mayAwaitDecisions } from './waiting-assets.ts';

/** Why following stopped, together with the last snapshot. */
export type FollowResult =
  | { end: 'ended'; snapshot: RunSnapshot; last: RunProgress | null }
  | { end: 'paused'; snapshot: RunSnapshot; cause: RunCause; last: RunProgress };

/** Following fails if no worker has answered or polled for this time. */
const workerTimeoutMs = 60_000;

const waitCheckIntervalMs = 10_000;
/** Shorter periods without an answer from the worker are not shown. */
const silenceThresholdMs = 10_000;
/** Interval between reads of the report while the server does not respond. */
const reportRetryMs = 2_000;

export interface FollowOptions {
  readonly progress: ProgressListener;
  /** Called when following starts. When the returned signal aborts, following ends but the run continues. */
  leave(): AbortSignal;
}

/**
 * Follows the run and returns its report.
 * @throws RenderlineError if the run pauses with a cause, waits only for people, stops with a cause before it processes
 *   any asset, or has no worker
 */
export async function waitForRun(
  app: App,
  client: Client,
  run: string,
  options: FollowOptions,
): Promise<RunDetails> {
  const leave = options.leave();
  const followed = await followRun(app, client, run, { ...options, leave });
  if (followed.end === 'paused') throw runPausedError(run, followed.cause);
  const report = await readDetailsOfEnded(app, client, followed, leave);
  const { shape, remark, finished } = report;
  const { cause } = shape;
  // Without assets there is nothing to report except the cause.
  if (cause !== null && shape.assets.total === 0) {
    const failure = { ...cause, exit: exitCodeOfRun(report) };
    throw new RenderlineError(failure, cause.message, { details: { run } });
  }
  if (shape.outcome === 'failed' && remark !== null && finished.totals.total === 0) {
    throw new RenderlineError(commandFailures.RUN_BROKE, `The run ${run} failed: ${remark}`, {
      fix: `See its page in the Temporal UI, or: renderline show ${run}`,
      details: { run },
    });
  }
  return report;
}

/** Reads the report, waiting for a server that does not respond. */
async function readDetailsOfEnded(
  app: App,
  client: Client,
  { snapshot, last }: FollowResult,
  leave: AbortSignal,
): Promise<RunDetails> {
  const outage = new ServerOutage(snapshot.run, () => app.now());
  for (let isNoted = false; ; isNoted = true) {
    try {
      return await readRunDetails(client, snapshot, app.now(), last);
    } catch (error) {
      const remark = outage.tolerateError(error);
      if (!isNoted) app.note(escapeToOneLine(remark));
      await sleep(reportRetryMs, undefined, { signal: leave });
    }
  }
}

interface FollowDeps {
  progress: ProgressListener;
  leave: AbortSignal;
}

/** Follows the run to its end, or to a pause with a cause. */
export async function followRun(
  app: App,
  client: Client,
  run: string,
  following: FollowDeps,
): Promise<FollowResult> {
  try {
    return await new Follower(app, client, run, following).followToEnd();
  } finally {
    following.progress.close();
  }
}

class Follower {
  readonly #app: App;
  readonly #client: Client;
  readonly #run: string;
  readonly #following: FollowDeps;
  readonly #remainingTime = new RemainingTime();
  #last: RunProgress | null = null;
  #lastResponseAtMs: number;
  readonly #outage: ServerOutage;
  #snapshot: RunSnapshot | null = null;
  #waitSeenAtMs = 0;
  #remark: string | null = null;
  /** Time of the run's last answer, or the time at which following started. */
  #lastRunResponseAtMs: number;
  #isFresh = false;

  constructor(app: App, client: Client, run: string, following: FollowDeps) {
    this.#app = app;
    this.#client = client;
    this.#run = run;
    this.#following = following;
    this.#lastResponseAtMs = app.now();
    this.#lastRunResponseAtMs = this.#lastResponseAtMs;
    this.#outage = new ServerOutage(run, () => app.now());
  }

  async followToEnd(): Promise<FollowResult> {
    const { progress, leave } = this.#following;
    const interrupted = waitForAbort(leave).then(() => {
      const run = this.#run;
      throw new RenderlineError(
        commandFailures.INTERRUPTED,
        `The run ${run} continues without this command.`,
        { fix: formatResumeHint(run), details: { run } },
      );
    });
    interrupted.catch(() => undefined);
    // Wakes the loop when the run ends, but only once. Otherwise it would spin if a new execution continued the run.
    const forgetEnd = () => {
      runEnd = null;
    };
    const handle = this.#client.workflow.getHandle(this.#run);
    let runEnd: Promise<unknown> | null = handle.result().then(forgetEnd, forgetEnd);
    for (;;) {
      const round = this.#pollTolerantly();
      // After an interrupt, nobody awaits this promise, so its rejection would be unhandled.
      round.catch(() => undefined);
      const followed = await Promise.race([round, interrupted]);
      if (followed !== null) return followed;
      const waiting = new AbortController();
      const delay = sleep(progress.pollIntervalMs, undefined, { signal: waiting.signal }).catch(
        () => undefined,
      );
      await Promise.race([delay, interrupted, ...(runEnd === null ? [] : [runEnd])]).finally(() =>
        waiting.abort(),
      );
    }
  }

  /** Polls once. Returns null if the run continues or the server does not respond. */
  async #pollTolerantly(): Promise<FollowResult | null> {
    try {
      const followed = await this.#poll();
      this.#outage.recordResponse();
      return followed;
    } catch (error) {
      this.#remark = this.#outage.tolerateError(error);
      this.#isFresh = false;
      this.#waitSeenAtMs = 0;
      // Workers cannot answer while the server is unreachable, so this time does not count against them.
      this.#lastResponseAtMs = this.#app.now();
      this.#show();
      return null;
    }
  }

  async #poll(): Promise<FollowResult | null> {
    const snapshot = await readSnapshot(this.#client, this.#run);
    this.#snapshot = snapshot;
    if (snapshot.status !== 'running') return { end: 'ended', snapshot, last: this.#last };
    const response = await readFreshProgress(this.#client, this.#run).catch((error: unknown) => {
      if (isUnreadableError(error)) return error;
      throw error;
    });
    const progress = response instanceof Error ? null : response;
    if (progress?.state === 'paused' && progress.cause !== null) {
      return { end: 'paused', snapshot, cause: progress.cause, last: progress };
    }
    const cause = progress && findAwaitedDecision(progress);
    if (progress && cause && (await mayAwaitDecisions(openStoreOfRun(snapshot), this.#run)))
      return { end: 'paused', snapshot, cause, last: progress };
    await this.#noteResponse(response, snapshot);
    this.#show();
    return null;
  }

  /** @param response the run's figures, the error if they cannot be decrypted here, or null if no worker answers */
  async #noteResponse(response: RunProgress | Error | null, snapshot: RunSnapshot): Promise<void> {
    const nowMs = this.#app.now();
    // A response that cannot be decrypted still proves that a worker answers.
    if (response !== null) this.#lastResponseAtMs = nowMs;
    const isReadable = response !== null && !(response instanceof Error);
    this.#isFresh = isReadable;
    if (isReadable) {
      this.#last = response;
      this.#lastRunResponseAtMs = nowMs;
      return this.#noteWait(response, snapshot, nowMs);
    }
    this.#waitSeenAtMs = 0;
    if (response !== null) {
      this.#remark = response.message;
      return;
    }
    const trouble = await findUnresponsive(this.#client, null, this.#run);
    if (trouble !== null) return this.#noteTrouble(trouble, nowMs);
    const { workers } = await findWorkers(this.#client, snapshot.taskQueue, nowMs);
    if (workers > 0) {
      this.#lastResponseAtMs = Math.max(this.#lastResponseAtMs, nowMs - workerTimeoutMs / 2);
      this.#remark = this.#silence(nowMs);
      return;
    }
    this.#remark = `no worker on task queue "${snapshot.taskQueue}": start one with \`renderline worker\``;
    if (nowMs - this.#lastResponseAtMs < workerTimeoutMs) return;
    const run = this.#run;
    const fix = `Start a worker: renderline worker\nFollow it again: renderline show ${run} --wait`;
    throw new RenderlineError(
      commandFailures.NO_WORKER,
      `No worker has responded for ${workerTimeoutMs / 1000} s on task queue "${snapshot.taskQueue}". The run ${run} is waiting for one.`,
      { fix, details: { run } },
    );
  }

  /** Describes a worker that polled recently but does not answer, because it is busy or died less than a minute ago. */
  #silence(nowMs: number): string | null {
    const silentMs = nowMs - this.#lastRunResponseAtMs;
    if (silentMs < silenceThresholdMs) return null;
    const old = this.#last === null ? '' : '; the figures are from the last response';
    return `no worker has responded for ${formatCoarseTime(silentMs)}${old}`;
  }

  /** Notes waits that have no time limit: for a worker on the run's host, or for an activity that keeps failing. */
  async #noteWait(progress: RunProgress, snapshot: RunSnapshot, nowMs: number): Promise<void> {
    if (nowMs - this.#waitSeenAtMs < waitCheckIntervalMs) return;
    this.#waitSeenAtMs = nowMs;
    this.#remark =
      (await this.#missingHost(progress, snapshot, nowMs)) ??
      (await findRetryMessage(this.#client, progress, this.#run));
  }

  async #missingHost({ host }: RunProgress, { taskQueue }: RunSnapshot, nowMs: number) {
    if (host === undefined) return null;
    const queue = hostQueue(taskQueue, host);
    const { workers } = await findWorkers(this.#client, queue, nowMs, 'activities');
    return workers > 0 ? null : `waiting for a worker on the host "${host}"`;
  }

  #noteTrouble(trouble: UnresponsiveWorkflow, nowMs: number): void {
    this.#remark = formatUnresponsive(trouble);
    if (nowMs - this.#lastResponseAtMs < workerTimeoutMs) return;
    const run = this.#run;
    const { workflowId, why, fix, isStranded } = trouble;
    throw new RenderlineError(
      isStranded ? commandFailures.NO_WORKER : commandFailures.WORKERS_FAIL,
      `The run ${run} makes no progress. ${workflowId}: ${why}.`,
      { fix: `${fix}\nFollow it again: renderline show ${run} --wait`, details: { run } },
    );
  }

  #show(): void {
    const nowMs = this.#app.now();
    const [snapshot, last] = [this.#snapshot, this.#last];
    const openShards = last?.openShards ?? [];
    const figures = {
      state: last?.state ?? (snapshot?.hasStarted ? 'running' : 'starting'),
      totals: { ...(last?.totals ?? noTotals) },
      steps: stepRows(last, snapshot?.memo?.steps ?? []),
      listing: last?.discovery ? formatListing(last.discovery) : null,
    };
    this.#following.progress.show({
      ...figures,
      run: this.#run,
      cause: last?.cause ?? null,
      requests: sumRequests(last?.requests ?? {}).total,
      elapsedMs: snapshot === null ? 0 : nowMs - snapshot.startedAtMs,
      // Stale figures show neither the pace nor the current waits.
      remainingMs: this.#isFresh
        ? this.#remainingTime.estimate({ ...figures, openShards }, nowMs)
        : null,
      waits: this.#isFresh ? collectWaits(last) : [],
      nowMs,
      remark: this.#remark,
    });
  }
}

const noTotals = { total: 0, complete: 0, failed: 0, skipped: 0 };
