// One shard of a run, streaming: an asset moves on the moment its parents are done, and all that are
// ready at one activation share calls. Knows step modes, never node types.
import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  type SignalDefinition,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  Activities,
  RunCause,
  SettledAsset,
  SettleInput,
  ShardInput,
  ShardProgress,
  ShardResult,
  WaitRules,
} from '../src/plan/contract.ts';
import { ShardState } from '../src/plan/shard-state.ts';
import { addRequests } from '../src/plan/totals.ts';
import type { Step, StepAsset } from '../src/plan/types.ts';
import { bookkeeping, stepOptions } from './activity-options.ts';
import { shardDetails } from './details.ts';
import { assetFailureOf, runCauseOf } from './failures.ts';
import {
  pause,
  resume,
  shardCause,
  shardParked,
  shardProgress,
  shardReport,
  stop,
} from './messages.ts';

const { open_shard, settle, cancel_remote } = proxyActivities<Activities>(bookkeeping);

/** Longest time that an asset on its way into a waiting step is made to wait for its first look. */
const lingerMs = 1_000;
/** Assets that settle together; fewer only at the end or when a minute has passed. */
const settleAtLeast = 100;
const settledAtMost = 250;
const settleAfterMs = 60_000;
/** First report to the run; each later one comes after twice the time, so that reports stay few. */
const firstReportAfterMs = 4_000;
const reportAtMostEveryMs = 5 * 60_000;
/** A shard in which only steps aside are left for so long makes room for another. */
const parkAfterMs = 10_000;
/** Failures carried in results and reports; the results pages hold all of them. */
const failuresCarried = 20;

export async function assetBatch(input: ShardInput): Promise<ShardResult> {
  const shard = new Shard(input);
  return shard.run();
}

class Shard {
  readonly #input: ShardInput;
  readonly #steps: Step[];
  #state: ShardState;
  #paused: boolean;
  #dirty = false;
  #parked = false;
  #stopped = false;
  readonly #submits: ReadonlySet<string>;
  #running = 0;
  #settling = false;
  #cancelling = false;
  #fatal: unknown = null;
  #part = 0;
  #lastSettleMs = Date.now();
  #failedTold = 0;
  #reportedMs = 0;
  #nextReportMs = Date.now() + firstReportAfterMs;
  #reportGapMs = firstReportAfterMs;
  #skippedAtOpen = 0;
  #unsettled: ReturnType<ShardState['takeSettled']> = [];
  readonly #waits = new Set<number>();
  readonly #requests: Record<string, number> = {};

  constructor(input: ShardInput) {
    this.#input = input;
    this.#steps = input.plan.steps;
    this.#submits = new Set(input.plan.tolerate?.submits);
    this.#state = new ShardState(this.#steps, []);
    this.#paused = input.paused;
    setHandler(shardProgress, () => this.#progress());
    setHandler(pause, () => {
      this.#paused = true;
    });
    setHandler(resume, () => {
      this.#paused = false;
      this.#dirty = true;
    });
    setHandler(stop, () => {
      this.#stopped = true;
      this.#state.stop(this.#submits);
      this.#dirty = true;
    });
  }

  async run(): Promise<ShardResult> {
    const { shard } = this.#input;
    try {
      const opened = await this.#untilOpened();
      this.#skippedAtOpen = opened.taken.length;
      this.#state = new ShardState(this.#steps, opened.assets);
      if (this.#stopped) this.#state.stop(this.#submits);
      this.#dirty = true;
      while (!this.#state.ended || this.#running > 0 || this.#settling) {
        this.#startReady();
        this.#settleSome();
        await this.#report();
        await this.#untilNews();
        this.#dirty = false;
        if (this.#fatal) throw this.#fatal;
      }
      this.#unsettled.push(...this.#state.takeSettled());
      await this.#settleAll();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => this.#cancelled());
      throw error;
    }
    const progress = this.#progress();
    return {
      shard,
      totals: progress.totals,
      steps: progress.steps,
      failures: progress.failures,
      failedModels: this.#state.failedModels().slice(0, failuresCarried),
      requests: this.#requests,
      // The last workflow task completes and the execution closes after this is read.
      historyEvents: workflowInfo().historyLength + 2,
    };
  }

  /** Claims the shard's assets; a cause of the run holds it until somebody resumes. */
  async #untilOpened() {
    for (;;) {
      try {
        return await open_shard({ context: this.#input.context, shard: this.#input.shard });
      } catch (error) {
        const cause = runCauseOf(error);
        if (!cause) throw error;
        await this.#hold(cause);
        await condition(() => !this.#paused);
      }
    }
  }

  /** What only tells others may take hours, and must not keep the run's other shards from starting. */
  async #untilNews(): Promise<void> {
    const { shard } = this.#input;
    const isDirty = () => this.#dirty;
    const { onlyAside } = this.#state;
    if (!this.#dirty && this.#parked !== onlyAside) {
      if (onlyAside && (await condition(isDirty, parkAfterMs))) return;
      this.#parked = onlyAside;
      await this.#tellRun(shardParked, [shard, onlyAside]);
      // What has ended meanwhile is written down, however long the rest takes.
      this.#settleSome(onlyAside);
    }
    await condition(isDirty);
  }

  #startReady(): void {
    this.#state.noteArrivals(Date.now());
    this.#steps.forEach((step, index) => {
      // Waits only read, so they go on while the run is paused.
      if (this.#paused && step.mode === 'call') return;
      if (!this.#state.hasReady(index)) return;
      // One wait a step: what arrives meanwhile joins the next one, so that waits do not splinter.
      if (step.mode === 'wait' && this.#waits.has(index)) return;
      const ready = this.#state.takeReady(index, Date.now());
      for (const group of chunks(ready, step.batch)) this.#start(step, index, group);
    });
  }

  #start(step: Step, index: number, group: StepAsset[]): void {
    this.#running += 1;
    if (step.mode === 'wait') this.#waits.add(index);
    this.#call(step, index, group)
      .then(
        (output) => {
          addRequests(this.#requests, output.requests);
          this.#state.apply(index, group, output.results);
        },
        (error: unknown) => this.#failed(index, group, error),
      )
      .finally(() => {
        this.#running -= 1;
        this.#waits.delete(index);
        this.#dirty = true;
      })
      .catch(() => undefined);
  }

  #call(step: Step, index: number, group: StepAsset[]) {
    const nowMs = Date.now();
    const latest = Math.max(...group.map((asset) => asset.deadlineMs ?? nowMs + step.timeoutMs));
    const summary = `${step.id} · ${group.length} ${group.length === 1 ? 'asset' : 'assets'}`;
    const activities = proxyActivities<Activities>(
      stepOptions(step, summary, Math.max(latest - nowMs, 0)),
    );
    const { id, node, when, config, batch, redo, timeoutMs } = step;
    return activities[step.activity]({
      context: this.#input.context,
      shard: this.#input.shard,
      step: { id, node, when, config, batch, redo, timeoutMs },
      assets: group,
      wait: step.mode === 'wait' ? this.#waitRules(index, nowMs) : null,
    });
  }

  /** While assets are still on their way into the step, its wait must come back for them. */
  #waitRules(index: number, nowMs: number): WaitRules {
    const next = this.#steps.filter(({ parents }) =>
      parents.includes(this.#steps[index]?.id ?? ''),
    );
    const gather = Math.min(50, ...next.map(({ batch }) => batch));
    const returnByMs = this.#state.hasUpstream(index) ? nowMs + lingerMs : null;
    return { gather, returnByMs };
  }

  #failed(index: number, group: StepAsset[], error: unknown): void {
    const cause = runCauseOf(error);
    if (cause || isCancellation(error)) {
      this.#state.release(index, group);
      if (cause) void this.#hold(cause).catch(() => undefined);
      return;
    }
    const { code, message } = assetFailureOf(error);
    const attempts = error instanceof ActivityFailure ? 1 : 0;
    this.#state.apply(
      index,
      group,
      group.map(({ key }) => ({ key, outcome: 'failed', code, message, attempts })),
    );
  }

  /** Stops submitting and tells the run why; the run decides when it goes on. */
  async #hold(cause: RunCause): Promise<void> {
    if (this.#paused) return;
    this.#paused = true;
    await this.#tellRun(shardCause, [this.#input.shard, cause]);
  }

  #settleSome(now = false): void {
    this.#unsettled.push(...this.#state.takeSettled());
    const due = now || Date.now() - this.#lastSettleMs >= settleAfterMs;
    const enough = this.#unsettled.length >= settleAtLeast || (due && this.#unsettled.length > 0);
    if (!enough || this.#settling) return;
    this.#settling = true;
    this.#settleAll()
      .catch((error: unknown) => {
        this.#fatal ??= error;
      })
      .finally(() => {
        this.#settling = false;
        this.#dirty = true;
      });
  }

  /** Writes records and results; a cause of the run (a full disk) holds it, and nothing is lost. */
  async #settleAll(): Promise<void> {
    const { context, shard } = this.#input;
    while (this.#unsettled.length > 0) {
      const settled = this.#unsettled.splice(0, settledAtMost);
      const part = this.#part;
      const superseded = this.#superseded();
      this.#part += 1;
      this.#lastSettleMs = Date.now();
      try {
        const report = await settle({ context, shard, part, settled, ...superseded });
        addRequests(this.#requests, report?.requests ?? {});
      } catch (error) {
        if (superseded.superseded === 'delete' && CancellationScope.current().consideredCancelled) {
          // It was deleting when the cancel came; it is settled once more, with what the cancel has ended.
          this.#unsettled.unshift(...settled);
          throw new CancelledFailure('cancelled while it deleted old versions');
        }
        const cause = runCauseOf(error);
        if (!cause) throw error;
        this.#unsettled.unshift(...settled);
        await this.#hold(cause);
        await condition(() => !this.#paused);
      }
    }
  }

  /** Deleting is no work for a run that is to end. */
  #superseded(): Pick<SettleInput, 'superseded'> {
    if (this.#input.plan.supersede === undefined) return {};
    return { superseded: this.#cancelling ? 'later' : 'delete' };
  }

  async #cancelled(): Promise<void> {
    this.#cancelling = true;
    const { supersede } = this.#input.plan;
    // What a call under way still creates must be known before it can be cancelled. What deletes tells what is left.
    await condition(() => this.#running === 0 && (supersede === undefined || !this.#settling));
    const assets = this.#state.takeCancelled();
    const left = await this.#cancelRenders(assets);
    for (const asset of assets) {
      const why = left[asset.key];
      if (why === undefined) this.#unsettled.push(asset);
      else this.#unsettled.push({ ...asset, renderGoesOn: true, warnings: [why] });
    }
    await this.#settleAll();
    // A cancelled workflow has no result, so what it came to is said before it closes.
    await this.#tellRun(shardReport, [this.#progress()]);
  }

  /** Why renders go on, by asset key. A platform that refuses us must not keep the run from ending. */
  async #cancelRenders(settled: SettledAsset[]): Promise<Record<string, string>> {
    const { context, shard } = this.#input;
    const assets = settled
      .filter(({ outcome, refs }) => outcome === 'cancelled' && refs.jobId)
      .map(({ key, source, refs }) => ({ key, source, refs }));
    if (assets.length === 0) return {};
    try {
      const { left, requests } = await cancel_remote({ context, shard, assets });
      addRequests(this.#requests, requests);
      return left;
    } catch (error) {
      const why = runCauseOf(error)?.message ?? assetFailureOf(error).message;
      const entries = assets.map(({ key, refs }) => [
        key,
        `render job ${refs.jobId} could not be cancelled: ${why}`,
      ]);
      return Object.fromEntries(entries) as Record<string, string>;
    }
  }

  #progress(): ShardProgress {
    const totals = this.#state.totals();
    totals.total += this.#skippedAtOpen;
    totals.skipped += this.#skippedAtOpen;
    return {
      shard: this.#input.shard,
      totals,
      steps: this.#state.counts(),
      failures: this.#state.failures().slice(0, failuresCarried),
      requests: this.#requests,
      historyEvents: workflowInfo().historyLength,
    };
  }

  async #report(): Promise<void> {
    const progress = this.#progress();
    setCurrentDetails(shardDetails(this.#input.plan, progress, this.#paused));
    const { failed } = progress.totals;
    // A run that counts failures hears of the first at once, and of more of them soon.
    const dueMs =
      this.#input.plan.tolerate && failed > this.#failedTold
        ? Math.min(this.#nextReportMs, this.#reportedMs + firstReportAfterMs)
        : this.#nextReportMs;
    if (Date.now() < dueMs || this.#state.ended) return;
    this.#failedTold = failed;
    this.#reportedMs = Date.now();
    this.#reportGapMs = Math.min(this.#reportGapMs * 2, reportAtMostEveryMs);
    this.#nextReportMs = Date.now() + this.#reportGapMs;
    await this.#tellRun(shardReport, [progress]);
  }

  /** A run that has been terminated cannot be told; its shards are being cancelled anyway. */
  async #tellRun<Args extends unknown[]>(
    signal: SignalDefinition<Args>,
    args: Args,
  ): Promise<void> {
    const run = getExternalWorkflowHandle(this.#input.parent);
    await run.signal(signal, ...args).catch(() => undefined);
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < items.length; start += size)
    groups.push(items.slice(start, start + size));
  return groups;
}
