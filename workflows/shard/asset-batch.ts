// One shard of a run. Assets stream through it: each enters a step as soon as it has passed the parents of the step,
// and all assets that are ready in one activation share calls. Knows step modes, not node types.
import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ShardInput, ShardResult } from '../../src/plan/contract/contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { StepEntry } from '../../src/plan/shard/cells.ts';
import { ShardState } from '../../src/plan/shard/shard-state.ts';
import type { Batching, OtherRunAssets, StepOutput } from '../../src/plan/shard/step-contract.ts';
import { addRequests, type ShardProgress } from '../../src/plan/shard/totals.ts';
import type { Step } from '../../src/plan/types.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import { assertHasPlan } from '../check-start.ts';
import { continueUnlessCancelled, eventsToClose } from '../continue-unless-cancelled.ts';
import { describeShard } from '../details.ts';
import { asCancellation, assetFailureOf, findRunCause, requestsOfFailure } from '../failures.ts';
import { pause, recheck, resume, shardProgress, stop } from '../messages.ts';
import { callStep } from './call-step.ts';
import { cancelRemote } from './cancel-remote.ts';
import { FinalizeBatcher } from './finalize-batcher.ts';
import { retryAfterResume } from './retry-after-resume.ts';
import { RunReporter } from './run-reporter.ts';
import { ShardWaits } from './shard-waits.ts';
import { StepHolds } from './step-holds.ts';
import { TimedOutCalls } from './timed-out-calls.ts';
import { WakeTimer } from './wake-timer.ts';

/** A shard with only side steps left makes room for another one after this time. */
const detachAfterMs = 10_000;
/** History events of signalling the shard's end: a completed task, the signal (two), the next task (two). */
const eventsToSignal = 5;

export async function assetBatch(input: ShardInput): Promise<ShardResult> {
  assertHasPlan(input);
  return new Shard(input).run();
}

class Shard {
  readonly #input: ShardInput;
  readonly #steps: Step[];
  readonly #submits: ReadonlySet<string>;
  readonly #wake = () => {
    this.#isDirty = true;
  };
  readonly #timer = new WakeTimer(this.#wake);
  readonly #waits: ShardWaits;
  readonly #holds = new StepHolds(this.#wake);
  readonly #timedOutCalls = new TimedOutCalls();
  readonly #finalizing: FinalizeBatcher;
  readonly #run: RunReporter;
  readonly #startedAtMs: number;
  readonly #requests: Record<string, number>;
  readonly #keys = new Map<number, string>();
  #state: ShardState;
  #takenByOtherRuns: OtherRunAssets[];
  #part: number;
  #isPaused: boolean;
  /** When the run sent the newest pause or resume signal. */
  #lastSignalAtMs: number;
  #isStopped: boolean;
  #isDirty = true;
  #isDetached = false;
  #running = 0;
  #runningCalls = 0;
  #isFinalizing = false;
  #isCancelling = false;
  /** True before the shard continues as new, when it starts nothing more. */
  #isContinuing = false;
  #fatal: unknown = null;

  constructor(input: ShardInput) {
    const { plan, carried } = input;
    this.#input = input;
    this.#steps = plan.steps;
    this.#submits = new Set(plan.tolerate?.submits);
    this.#startedAtMs = carried?.startedAtMs ?? Date.now();
    this.#run = new RunReporter(input, this.#startedAtMs);
    this.#waits = new ShardWaits(carried?.waitDurationsMs);
    this.#finalizing = new FinalizeBatcher(this.#startedAtMs);
    this.#requests = { ...carried?.requests };
    this.#takenByOtherRuns = carried?.takenByOtherRuns ?? [];
    this.#part = carried?.part ?? 0;
    this.#isStopped = carried?.stopped ?? false;
    this.#isPaused = input.paused;
    this.#lastSignalAtMs = carried?.lastSignalMs ?? 0;
    this.#state = new ShardState(this.#steps, []);
    setHandler(shardProgress, () => this.#progressWithWaits());
    setHandler(pause, (sinceMs) => {
      if (this.#isLatestSignal(sinceMs)) this.#isPaused = true;
    });
    setHandler(resume, (sinceMs) => {
      if (!this.#isLatestSignal(sinceMs)) return;
      this.#isPaused = false;
      this.#holds.clear();
      this.#waits.unblock();
      this.#isDirty = true;
    });
    setHandler(recheck, (steps = []) => this.#waits.interruptSteps(new Set(steps)));
    setHandler(stop, () => {
      this.#isStopped = true;
      this.#state.stop(this.#submits);
      this.#isDirty = true;
    });
  }

  async run(): Promise<ShardResult> {
    try {
      await this.#open();
      if (this.#isStopped) this.#state.stop(this.#submits);
      while (!this.#state.isFinished || this.#running > 0 || this.#isFinalizing) {
        this.#isDirty = false;
        this.#isContinuing ||= workflowInfo().continueAsNewSuggested && !this.#state.isFinished;
        if (this.#isContinuing) await this.#continueAsNew();
        else this.#startReady();
        this.#finalizeDue();
        await this.#report();
        await this.#waitForChange();
        if (this.#fatal) throw this.#fatal;
      }
      this.#finalizing.add(this.#state.takeFinalized(), Date.now());
      await this.#finalizeAll();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => this.#handleCancelled());
      throw error;
    }
    const result = this.#result();
    await this.#run.reportFinished(result, 'done');
    return result;
  }

  #result(): ShardResult {
    return {
      ...this.#progress(),
      failedModels: this.#state.failedModels(),
      takenByOtherRuns: this.#takenByOtherRuns,
      historyEvents:
        this.#historyEvents() + (this.#input.isOneOfMany ? eventsToSignal : 0) + eventsToClose,
    };
  }

  /** Claims the shard's assets, unless an earlier execution did. A run cause delays the claim until a resume. */
  async #open(): Promise<void> {
    const { context, shard, carried, takeOverMs } = this.#input;
    if (carried) {
      this.#state = ShardState.fromCarried(this.#steps, carried.state);
      for (const [assetIndex, key] of carried.keys) this.#keys.set(assetIndex, key);
      return;
    }
    const openShard = proxyEngineActivity('openShard', context);
    const openedShard = await this.#retryAfterResume(() =>
      openShard({ context, shard, ...(takeOverMs === undefined ? {} : { takeOverMs }) }),
    );
    const { assets, complete, keys, takenByOtherRuns, pages, cells } = openedShard;
    this.#run.updateLoad(openedShard);
    this.#takenByOtherRuns = takenByOtherRuns;
    [...assets, ...complete].forEach((assetIndex, index) =>
      this.#keys.set(assetIndex, keys[index] ?? ''),
    );
    this.#state = new ShardState(this.#steps, assets, pages, { complete, cells });
  }

  #retryAfterResume<T>(task: () => Promise<T>): Promise<T> {
    return retryAfterResume(task, async (cause) => {
      await this.#pauseFor(cause);
      await condition(() => !this.#isPaused);
    });
  }

  /** Waits for a change. A shard with only side steps left, which may take hours, makes room for other shards. */
  async #waitForChange(): Promise<void> {
    const isDirty = () => this.#isDirty;
    const { hasOnlySideSteps } = this.#state;
    if (!this.#isDirty && this.#isDetached !== hasOnlySideSteps) {
      const summary = 'until the run may start another shard in parallel';
      if (hasOnlySideSteps && (await condition(isDirty, detachAfterMs, { summary }))) return;
      this.#isDetached = hasOnlySideSteps;
      await this.#run.reportDetached(hasOnlySideSteps);
      // Results are written now, because the side steps may take hours.
      if (hasOnlySideSteps && this.#finalizing.size > 0) this.#startFinalizing();
    }
    await condition(isDirty);
  }

  #startReady(): void {
    const nowMs = Date.now();
    this.#state.recordArrivals(nowMs);
    this.#steps.forEach((step, index) => {
      if (step.mode === 'wait') return this.#startWaits(step, index, nowMs);
      if (this.#isPaused || this.#holds.checkHold(step.id)) return;
      const { calls, nextCheckAtMs: checkAtMs } = this.#state.takeCalls(index, nowMs);
      for (const batch of calls) this.#start(step, index, batch, null);
      if (checkAtMs !== null) this.#timer.set(checkAtMs, `${step.id}: until a call is full`);
    });
  }

  /** Starts waits. They only read, so they also start while the run is paused. */
  #startWaits(step: Step, index: number, nowMs: number): void {
    const arrivals = this.#state.ready(index, nowMs);
    const decision = this.#waits.decide(step.id, arrivals, nowMs);
    if (decision === null) return;
    if (!decision.isStart) {
      this.#timer.set(decision.nextCheckAtMs, `${step.id}: until a batch is full`);
    } else if (decision.merge.length > 0) {
      this.#waits.interrupt(decision.merge);
    } else {
      if (step.asksPeople) this.#run.reportAsking();
      this.#start(step, index, this.#state.takeReady(index, nowMs), this.#state.batchingFor(index));
    }
  }

  #start(step: Step, index: number, batch: StepEntry[], batching: Batching | null): void {
    const assetIndexes = batch.map(({ assetIndex }) => assetIndex);
    const pages = this.#state.pagesOf(assetIndexes);
    const chain = this.#state.chainOf(index);
    const details = { step, chain, entries: batch, pages, batching, keyOf: this.#keyOf };
    const call = () => callStep(this.#input, details);
    this.#running += 1;
    // Side steps, such as notices, are not brief, because they may be retried for hours.
    const isBrief = batching === null && !step.isSideStep;
    if (isBrief) this.#runningCalls += 1;
    (isBrief ? call() : this.#waits.runInterruptible(step.id, batch, call))
      .then(
        (output) => this.#handleDone(step, index, batch, output),
        (error: unknown) => this.#handleFailed(index, assetIndexes, asCancellation(error)),
      )
      .finally(() => {
        this.#running -= 1;
        if (isBrief) this.#runningCalls -= 1;
        this.#isDirty = true;
      })
      .catch(() => undefined);
  }

  #handleDone(step: Step, index: number, batch: readonly StepEntry[], output: StepOutput): void {
    addRequests(this.#requests, output.requests);
    this.#run.updateLoad(output);
    if (step.mode === 'wait') {
      const through = new Set(output.done);
      const finishedEntries = batch.filter(({ assetIndex }) => through.has(assetIndex));
      this.#waits.recordDurations(step.id, finishedEntries, Date.now());
    }
    const assetIndexes = batch.map(({ assetIndex }) => assetIndex);
    this.#state.apply(index, assetIndexes, output);
    this.#holds.add([step, ...this.#state.chainOf(index)], output);
    if (output.stop) void this.#pauseFor(output.stop).catch(() => undefined);
  }

  #handleFailed(index: number, assetIndexes: number[], error: unknown): void {
    addRequests(this.#requests, requestsOfFailure(error));
    const cause = findRunCause(error);
    if (cause) void this.#pauseFor(cause).catch(() => undefined);
    const repeatable = new Set(
      cause || isCancellation(error)
        ? assetIndexes
        : this.#timedOutCalls.takeRepeatable(error, index, assetIndexes),
    );
    this.#state.release(index, [...repeatable]);
    const failed = assetIndexes.filter((assetIndex) => !repeatable.has(assetIndex));
    if (failed.length > 0) this.#state.fail(index, failed, assetFailureOf(error), this.#keyOf);
  }

  readonly #keyOf = (assetIndex: number): string => this.#keys.get(assetIndex) ?? '';

  /** True unless a newer signal was received. A signal sent manually has no time and always counts. */
  #isLatestSignal(sinceMs = this.#lastSignalAtMs): boolean {
    if (sinceMs < this.#lastSignalAtMs) return false;
    this.#lastSignalAtMs = sinceMs;
    return true;
  }

  /** Stops submitting and reports the cause to the run, which decides when to continue. */
  async #pauseFor(cause: RunCause): Promise<void> {
    if (this.#isPaused) return;
    this.#isPaused = true;
    await this.#run.reportCause(cause);
  }

  #finalizeDue(): void {
    this.#finalizing.add(this.#state.takeFinalized(), Date.now());
    const dueAtMs = this.#finalizing.dueAtMs();
    if (dueAtMs === null || this.#isFinalizing) return;
    if (dueAtMs <= Date.now()) this.#startFinalizing();
    else if (!this.#state.isFinished) this.#timer.set(dueAtMs, 'until results are written');
  }

  #startFinalizing(): void {
    if (this.#isFinalizing) return;
    this.#isFinalizing = true;
    this.#finalizeAll()
      .catch((error: unknown) => {
        this.#fatal ??= error;
      })
      .finally(() => {
        this.#isFinalizing = false;
        this.#isDirty = true;
      });
  }

  /** Writes records and results. A run cause, such as a full disk, only delays the writes until a resume. */
  async #finalizeAll(renderContinues?: string): Promise<void> {
    const { context, shard, plan } = this.#input;
    const { supersede } = plan;
    const finalizeAssets = proxyEngineActivity('finalizeAssets', context);
    while (this.#finalizing.size > 0) {
      const outcomes = this.#finalizing.take();
      const part = this.#part;
      this.#part += 1;
      try {
        await this.#retryAfterResume(async () => {
          const report = await finalizeAssets({
            context,
            shard,
            part,
            outcomes,
            pages: this.#state.pagesOf(outcomes.map(({ assetIndex }) => assetIndex)),
            causes: [...this.#state.causes],
            // A run that is being cancelled deletes nothing.
            ...(supersede ? { superseded: this.#isCancelling ? 'later' : 'delete' } : {}),
            ...(renderContinues === undefined ? {} : { renderContinues }),
          });
          addRequests(this.#requests, report?.requests ?? {});
        });
      } catch (error) {
        // Only some of these outcomes may have been written, so all of them are finalized again.
        if (isCancellation(error)) this.#finalizing.putBack(outcomes);
        throw error;
      }
    }
  }

  /** Continues as new once nothing is running: awaits calls, and interrupts waits, which then start again. */
  async #continueAsNew(): Promise<void> {
    if (this.#runningCalls > 0 || this.#isFinalizing) return;
    if (this.#running > 0) return this.#waits.interruptAll();
    this.#finalizing.add(this.#state.takeFinalized(), Date.now());
    await this.#finalizeAll();
    const { carried: _before, ...input } = this.#input;
    const { context, shard } = input;
    const openAssets = this.#state.open;
    const compactPages = proxyEngineActivity('compactPages', context);
    const { pages } = await this.#retryAfterResume(() =>
      compactPages({
        context,
        shard,
        assets: openAssets,
        pages: this.#state.pagesOf(openAssets),
        causes: [...this.#state.causes],
        warningCauses: this.#state.openWarnings(),
      }),
    );
    await continueUnlessCancelled<typeof assetBatch>([
      {
        ...input,
        paused: this.#isPaused,
        carried: {
          startedAtMs: this.#startedAtMs,
          state: this.#state.carried(pages),
          keys: openAssets.map((assetIndex) => [assetIndex, this.#keyOf(assetIndex)]),
          takenByOtherRuns: this.#takenByOtherRuns,
          stopped: this.#isStopped,
          lastSignalMs: this.#lastSignalAtMs,
          ...this.#run.continuationState(),
          part: this.#part,
          waitDurationsMs: this.#waits.waitDurationsMs,
          requests: this.#requests,
          historyEvents: this.#historyEvents() + eventsToClose,
        },
      },
    ]);
  }

  async #handleCancelled(): Promise<void> {
    // The shard is no longer paused, so that `#pauseFor` reports a cause that prevents writing the results.
    [this.#isCancelling, this.#isPaused] = [true, false];
    // A call in flight may still create a job on the platform, whose id is needed to cancel it.
    await condition(() => this.#running === 0 && !this.#isFinalizing);
    const outcomes = this.#state.takeCancelled();
    const reason = await cancelRemote(this.#input, this.#state, outcomes, this.#requests);
    this.#finalizing.add(outcomes, Date.now());
    await this.#finalizeAll(reason);
    await this.#run.reportFinished(this.#result(), 'cancelled');
  }

  #progress(): Required<Omit<ShardProgress, 'load' | 'waits'>> {
    const totals = this.#state.totals();
    for (const { assets } of this.#takenByOtherRuns) {
      totals.total += assets;
      totals.skipped += assets;
    }
    return {
      shard: this.#input.shard,
      totals,
      steps: this.#state.counts(),
      failures: this.#state.failures(),
      requests: this.#requests,
      historyEvents: this.#historyEvents(),
    };
  }

  #progressWithWaits(): ShardProgress {
    return { ...this.#progress(), waits: this.#holds.waits(this.#state, this.#steps) };
  }

  /** Counts the history events of all executions so far. */
  #historyEvents(): number {
    return (this.#input.carried?.historyEvents ?? 0) + workflowInfo().historyLength;
  }

  async #report(): Promise<void> {
    setCurrentDetails(describeShard(this.#input.plan, this.#progressWithWaits(), this.#isPaused));
    const atMs = this.#state.isFinished ? null : await this.#run.reportProgress(this.#progress());
    // While calls are running, no timer is needed, because the next call to end reports.
    if (atMs !== null && this.#runningCalls === 0)
      this.#timer.set(atMs, 'until progress is reported');
    const againAtMs = this.#isPaused ? null : await this.#run.reportWaits(this.#state, this.#holds);
    if (againAtMs !== null) this.#timer.set(againAtMs, 'until waiting assets are counted');
  }
}
