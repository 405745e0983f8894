// Reports of a shard to its run, by signals. Each signal adds events to both histories.
import {
  CancellationScope,
  getExternalWorkflowHandle,
  type SignalDefinition,
} from '@temporalio/workflow';
import type {
  ShardContinuation,
  ShardInput,
  ShardResult,
} from '../../src/plan/contract/contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { ShardState } from '../../src/plan/shard/shard-state.ts';
import type { ShardProgress } from '../../src/plan/shard/totals.ts';
import type { Load } from '../../src/plan/shard/window.ts';
import { emitRunEvent } from '../emit-run-event.ts';
import {
  shardAwaitsApproval,
  shardBlocked,
  shardDetached,
  shardFinished,
  shardReport,
  shardWaits,
} from '../messages.ts';
import { ShardReports } from './shard-reports.ts';
import type { StepHolds } from './step-holds.ts';
import { WaitingReports } from './waiting-reports.ts';

export class RunReporter {
  readonly #input: ShardInput;
  readonly #reports: ShardReports;
  readonly #waitingReports: WaitingReports;
  readonly #startedAtMs: number;
  /**
   * True for a run with a deadline, or with assets that people decide about, so that its counts are reported even if no
   * event follows for hours.
   */
  readonly #mustReportCounts: boolean;
  #reportedCounts = '';
  #hasAsked: boolean;
  /** Load that the last activity reported. Absent if the worker has ample capacity. */
  #load: { load?: Load } = {};

  constructor(input: ShardInput, startedAtMs: number) {
    const { plan, carried } = input;
    this.#input = input;
    this.#startedAtMs = startedAtMs;
    this.#reports = new ShardReports(startedAtMs, Date.now(), plan.tolerate !== undefined);
    this.#waitingReports = new WaitingReports(startedAtMs, carried?.isWaiting ?? false);
    this.#mustReportCounts =
      plan.deadline !== undefined || plan.steps.some(({ asksPeople }) => asksPeople);
    this.#hasAsked = carried?.hasAsked ?? false;
  }

  continuationState(): Pick<ShardContinuation, 'isWaiting' | 'hasAsked'> {
    return {
      ...(this.#waitingReports.waits ? { isWaiting: true } : {}),
      ...(this.#hasAsked ? { hasAsked: true } : {}),
    };
  }

  /** Stores the load of the worker from the result of an activity. */
  updateLoad({ load }: { load?: Load }): void {
    this.#load = load ? { load } : {};
  }

  /**
   * Sends a report if one is due.
   * @returns when to report next even if nothing happens, or null to report only after the next change
   */
  async reportProgress(progress: ShardProgress): Promise<number | null> {
    const { totals, steps } = progress;
    const counts = this.#mustReportCounts ? JSON.stringify([totals, steps]) : '';
    if (!this.#reports.isDue(totals, Date.now()))
      return counts === this.#reportedCounts ? null : this.#reports.dueAtMs();
    this.#reports.recordReport(totals, Date.now());
    this.#reportedCounts = counts;
    await this.#signalRun(shardReport, [{ ...progress, ...this.#load }]);
    return null;
  }

  /**
   * Reports to a run with many shards whether this shard mostly waits, so that the run can start other shards.
   * @returns when to check again, or null to check only after the next change
   */
  async reportWaits(state: ShardState, holds: StepHolds): Promise<number | null> {
    const { shard, isOneOfMany } = this.#input;
    // A shard with only side steps left is left out, because a separate signal reports it.
    if (!isOneOfMany || state.isFinished || state.hasOnlySideSteps) return null;
    const decision = this.#waitingReports.check(state.work(holds.has), Date.now());
    if (decision !== 'report') return decision?.nextCheckAtMs ?? null;
    const { waits } = this.#waitingReports;
    const { load } = this.#load;
    await this.#signalRun(shardWaits, load ? [shard, waits, load] : [shard, waits]);
    return null;
  }

  reportDetached(isDetached: boolean): Promise<void> {
    return this.#signalRun(shardDetached, [this.#input.shard, isDetached]);
  }

  /** Reports once that assets wait for people, if the run has receivers for that. */
  reportAsking(): void {
    const { notify = [] } = this.#input.plan;
    if (this.#hasAsked || !notify.some(({ on }) => on.includes('waiting'))) return;
    this.#hasAsked = true;
    void this.#signalRun(shardAwaitsApproval, []);
  }

  reportCause(cause: RunCause): Promise<void> {
    return this.#signalRun(shardBlocked, [this.#input.shard, cause]);
  }

  /**
   * Emits `shard-finished`. Signals the totals of a cancelled shard, because a cancelled workflow has no result. If the
   * run has many shards, the shard signals its normal end too.
   */
  async reportFinished(result: ShardResult, ending: 'done' | 'cancelled'): Promise<void> {
    const { context, shard } = this.#input;
    const { pipeline, run } = context;
    const end = { totals: { ...result.totals }, startedAtMs: this.#startedAtMs };
    emitRunEvent({ kind: 'shard-finished', pipeline, run, shard, end });
    // Not cancellable, because the shard has ended: the signal must be sent even if a cancellation arrives now.
    if (this.#input.isOneOfMany)
      return CancellationScope.nonCancellable(() =>
        this.#signalRun(shardFinished, [result, ending]),
      );
    const { failedModels: _models, takenByOtherRuns: _taken, ...progress } = result;
    if (ending === 'cancelled') return this.#signalRun(shardReport, [progress]);
  }

  /**
   * Sends a signal to the run. Ignores errors: a terminated run cannot receive signals, and its shards are ended
   * anyway.
   */
  async #signalRun<Args extends unknown[]>(
    signal: SignalDefinition<Args>,
    args: Args,
  ): Promise<void> {
    const run = getExternalWorkflowHandle(this.#input.parent);
    await run.signal(signal, ...args).catch(() => undefined);
  }
}
