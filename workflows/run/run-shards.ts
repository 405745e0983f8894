// The shards of a run: starts them, forwards signals to them, and counts their results.
import {
  CancellationScope,
  ChildWorkflowFailure,
  getExternalWorkflowHandle,
  isCancellation,
  type SignalDefinition,
} from '@temporalio/workflow';
import {
  type Discovery,
  type OpenShard,
  type RunInput,
  type ShardResult,
  workflowIds,
} from '../../src/plan/contract/contract.ts';
import { hasManyShards, sizeOfShard } from '../../src/plan/contract/sharding.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { WorkflowFailureCode } from '../../src/plan/run/workflow-failure-codes.ts';
import { createTotals, type ShardProgress } from '../../src/plan/shard/totals.ts';
import type { InFlight } from '../../src/plan/shard/window.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import { emitRunEvent } from '../emit-run-event.ts';
import { assetFailureOf } from '../failures.ts';
import { pause, recheck, resume, stop } from '../messages.ts';
import { OpenShards } from './open-shards.ts';
import type { RunTotals } from './run-totals.ts';
import { startShard } from './start-shard.ts';
import { watchInheritedShards } from './watch-inherited-shards.ts';

const shardCancelled = {
  code: 'SHARD_CANCELLED' satisfies WorkflowFailureCode,
  message: 'somebody cancelled this shard, but not the run',
};

interface RunShardsDeps {
  /** The context of the run. It changes once the host and the number of assets are known. */
  context: () => RunContext;
  discovery: () => Discovery | null;
  isPaused: () => boolean;
  isStopped: () => boolean;
  isCancelling: () => boolean;
  /** Called after a finished shard is counted. */
  onShardFinished: () => void;
}

export class RunShards {
  readonly open: OpenShards;
  readonly #input: RunInput;
  readonly #totals: RunTotals;
  readonly #run: RunShardsDeps;
  /** Signals and cancellations that have not arrived, and notices that have not started. */
  readonly #pendingSends = new Set<Promise<unknown>>();
  #lastSignalAtMs = 0;

  constructor(input: RunInput, totals: RunTotals, run: RunShardsDeps) {
    this.open = new OpenShards(input.carried?.open);
    this.#input = input;
    this.#totals = totals;
    this.#run = run;
  }

  /** True if the run may continue as new before its shards have finished: see `isOneOfMany` of `ShardInput`. */
  get hasManyShards(): boolean {
    const discovery = this.#run.discovery();
    return discovery !== null && hasManyShards(this.#input.plan, discovery);
  }

  get inFlight(): InFlight {
    return this.open.inFlight((shard) => this.sizeOf(shard));
  }

  /** Returns the number of assets of a shard, or 0 if there is no such shard. */
  sizeOf(shard: number): number {
    return sizeOfShard(this.#run.discovery(), this.#input.plan, shard);
  }

  /** Returns the number of assets of the next shard, or 0 if there is none. */
  sizeOfNext(): number {
    return this.sizeOf(this.#totals.carried.nextShard);
  }

  /** Ends shards that this execution did not start. An execution before a reset may have left such shards. */
  async endOrphans(): Promise<void> {
    const context = this.#run.context();
    const firstShard = this.#totals.carried.nextShard;
    // The run must end even if this fails. The orphaned shards then end on their own.
    const endOrphanedChildren = proxyEngineActivity('endOrphanedChildren', context);
    await endOrphanedChildren({ context, firstShard }).catch(() => undefined);
  }

  /** Returns all open shards with their last reports. */
  reports(): OpenShard[] {
    return this.open
      .reports()
      .map(([shard, last]) => ({ shard, lastReport: this.#reportOf(shard, last) }));
  }

  async start(shard: number): Promise<void> {
    const { plan, takeOverMs } = this.#input;
    const context = this.#run.context();
    this.open.start(shard);
    const paused = this.#run.isPaused();
    const options = {
      ...(takeOverMs === undefined ? {} : { takeOverMs }),
      ...(this.hasManyShards ? { isOneOfMany: true as const } : {}),
    };
    const input = { plan, context, shard, paused, ...options };
    const child = await startShard(input, this.sizeOf(shard));
    const { pipeline, run } = context;
    emitRunEvent({ kind: 'shard-started', pipeline, run, shard, assets: this.sizeOf(shard) });
    child
      .result()
      .then(
        (result) => this.#handleDone(result),
        (error: unknown) => this.#handleFailed(shard, error),
      )
      .catch(() => undefined);
    // The shard is signalled now, because it missed signals to all shards while it was starting.
    if (this.#run.isStopped()) await child.signal(stop).catch(() => undefined);
    const isPaused = this.#run.isPaused();
    if (isPaused !== paused) {
      await child.signal(isPaused ? pause : resume, this.#sinceMs()).catch(() => undefined);
    }
  }

  /** Handles the end of a shard whose run may no longer be its parent. */
  handleFinished(result: ShardResult, ending: 'done' | 'cancelled'): void {
    if (ending === 'done') return this.#handleDone(result);
    this.open.report(result);
    this.#handleCancelled(result.shard);
  }

  /**
   * Watches the shards of earlier executions, even while the run is being cancelled, because the cancellation waits for
   * the end of all shards.
   */
  watchInherited(): void {
    CancellationScope.nonCancellable(() =>
      watchInheritedShards(this.open, this.#run.context(), {
        isUrgent: this.#run.isCancelling,
        onBroken: (shard) => this.#handleBroken(shard, 'the shard closed without a result'),
      }),
    ).catch(() => undefined);
  }

  pause(): void {
    this.#signalAll(pause, this.#sinceMs());
  }

  resume(): void {
    this.#signalAll(resume, this.#sinceMs());
  }

  stop(): void {
    this.#signalAll(stop);
  }

  /** Makes shards poll assets that wait in these steps. @param shards shards to signal (default: all open shards) */
  recheck(steps: string[], shards: readonly number[] = this.open.shardNumbers()): void {
    for (const shard of shards.filter((candidate) => this.open.has(candidate)))
      this.send(this.#handle(shard).signal(recheck, steps));
  }

  /**
   * Cancels all open shards by their workflow ids, because the cancellation of a child goes to its first execution, and
   * is lost after that execution has continued as new.
   */
  cancel(): void {
    for (const shard of this.#handles()) this.send(shard.cancel());
  }

  /** Tracks a signal, a cancellation or a notice without waiting for its arrival. */
  send(sending: Promise<unknown>): void {
    // The error is ignored, because a shard that has just closed cannot be signalled and need not be.
    const pendingSend = sending
      .catch(() => undefined)
      .finally(() => this.#pendingSends.delete(pendingSend));
    this.#pendingSends.add(pendingSend);
  }

  /** Waits until everything sent has arrived, because a signal that an execution sends in its last task is lost. */
  async untilSent(): Promise<void> {
    while (this.#pendingSends.size > 0) await Promise.all(this.#pendingSends);
  }

  /** Counts the end of a shard once, although a child may report it twice: by its result and by a signal. */
  #handleDone(result: ShardResult): void {
    if (!this.open.has(result.shard)) return;
    this.open.remove(result.shard);
    this.#totals.addFinishedShard(result);
    this.#run.onShardFinished();
  }

  async #handleFailed(shard: number, error: unknown): Promise<void> {
    if (isCancellation(error)) return this.#handleCancelled(shard);
    const cause = error instanceof ChildWorkflowFailure ? error.cause : error;
    await this.#handleBroken(shard, assetFailureOf(cause).message);
  }

  #handleCancelled(shard: number): void {
    if (!this.open.has(shard)) return;
    const report = this.#reportOf(shard, this.open.remove(shard));
    // A run that is being cancelled cancels its shards itself.
    const isByPerson = !this.#run.isCancelling();
    const failure = { ...this.#failureOf(shard), ...shardCancelled };
    this.#totals.addCancelledShard(report, isByPerson ? failure : undefined);
    if (isByPerson) this.#run.onShardFinished();
  }

  /** Counts a broken shard by the results that it has written. Its other assets count as failed. */
  async #handleBroken(shard: number, message: string): Promise<void> {
    const context = this.#run.context();
    const results = await CancellationScope.nonCancellable(() =>
      proxyEngineActivity('countShard', context)({ context, shard }),
    ).catch(() => ({ totals: createTotals(), failures: [], reason: null }));
    if (!this.open.has(shard)) return;
    this.open.remove(shard);
    const failure = {
      ...this.#failureOf(shard),
      code: 'SHARD_FAILED' satisfies WorkflowFailureCode,
      message: results.reason ?? message,
    };
    const { pipeline, run } = context;
    const end = { totals: { ...results.totals }, startedAtMs: Date.now() };
    emitRunEvent({ kind: 'shard-finished', pipeline, run, shard, end });
    this.#totals.addBrokenShard(this.sizeOf(shard), results, failure);
    this.#run.onShardFinished();
  }

  #failureOf(shard: number) {
    return { key: workflowIds.shard(this.#input.run, shard), node: '', attempts: 1 };
  }

  /** Creates a shard's report. Its total is from the discovery, because a shard that has not opened knows no assets. */
  #reportOf(shard: number, last: ShardProgress | null): Partial<ShardProgress> {
    return { ...last, totals: { ...createTotals(), ...last?.totals, total: this.sizeOf(shard) } };
  }

  #signalAll<Args extends unknown[]>(signal: SignalDefinition<Args>, ...args: Args): void {
    // Sent even if the run is being cancelled, because a shard that cannot write its results waits for a resume.
    for (const shard of this.#handles())
      this.send(CancellationScope.nonCancellable(() => shard.signal(signal, ...args)));
  }

  /** Returns a time later than any sent before, so that shards can order signals that arrive in a different order. */
  #sinceMs(): number {
    this.#lastSignalAtMs = Math.max(this.#lastSignalAtMs + 1, Date.now());
    return this.#lastSignalAtMs;
  }

  #handles() {
    return this.open.shardNumbers().map((shard) => this.#handle(shard));
  }

  #handle(shard: number) {
    return getExternalWorkflowHandle(workflowIds.shard(this.#input.run, shard));
  }
}

/** Removes failures from a shard's report, because those of a thousand shards would be too large for a query. */
export function removeFailures({ shard, lastReport }: OpenShard): OpenShard {
  const { failures: _failures, ...report } = lastReport;
  return { shard, lastReport: report };
}
