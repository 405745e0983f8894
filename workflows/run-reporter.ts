// Reports of a shard to its run, by signals. Each signal adds events to both histories.
import { getExternalWorkflowHandle, type SignalDefinition } from '@temporalio/workflow';
import type { ShardInput, ShardResult } from '../src/plan/contract.ts';
import type { RunCause } from '../src/plan/run-cause.ts';
import type { ShardState } from '../src/plan/shard-state.ts';
import type { ShardProgress } from '../src/plan/totals.ts';
import type { Load } from '../src/plan/window.ts';
import { shardCause, shardEnded, shardParked, shardReport, shardWaits } from './messages.ts';
import { ShardPace } from './shard-pace.ts';
import { ShardReports } from './shard-reports.ts';
import { tell } from './tell.ts';

export class RunReporter {
  readonly #input: ShardInput;
  readonly #reports: ShardReports;
  readonly #pace: ShardPace;
  readonly #startedAtMs: number;
  /** Load that the last activity reported; absent if the worker has ample capacity. */
  #load: { load?: Load } = {};

  constructor(input: ShardInput, startedAtMs: number) {
    const { plan, carried } = input;
    this.#input = input;
    this.#startedAtMs = startedAtMs;
    this.#reports = new ShardReports(startedAtMs, Date.now(), plan.tolerate !== undefined);
    this.#pace = new ShardPace(startedAtMs, carried?.waits ?? false);
  }

  /** State for a continuation. */
  carried(): { waits?: true } {
    return this.#pace.waits ? { waits: true } : {};
  }

  /** Takes the load of the worker from the result of an activity. */
  hear({ load }: { load?: Load }): void {
    this.#load = load ? { load } : {};
  }

  /** Sends a report if one is due. */
  async progress(progress: ShardProgress): Promise<void> {
    const { totals } = progress;
    if (!this.#reports.isDue(totals, Date.now())) return;
    this.#reports.told(totals, Date.now());
    await this.#tell(shardReport, [{ ...progress, ...this.#load }]);
  }

  /**
   * A shard whose assets wait makes room for others, if there are any. Returns when to check again; null: after the
   * next change.
   */
  async pace({ ended, onlyAside, work }: ShardState): Promise<number | null> {
    const { shard, many } = this.#input;
    // A shard with only side steps has a separate signal.
    if (!many || ended || onlyAside) return null;
    const news = this.#pace.look(work, Date.now());
    if (news !== 'tell') return news?.askAgainAtMs ?? null;
    const { waits } = this.#pace;
    const { load } = this.#load;
    await this.#tell(shardWaits, load ? [shard, waits, load] : [shard, waits]);
    return null;
  }

  parked(parked: boolean): Promise<void> {
    return this.#tell(shardParked, [this.#input.shard, parked]);
  }

  cause(cause: RunCause): Promise<void> {
    return this.#tell(shardCause, [this.#input.shard, cause]);
  }

  /** A cancelled workflow has no result, so its totals are sent by a signal. One of many shards also signals its normal end. */
  async ended(result: ShardResult, how: 'done' | 'cancelled'): Promise<void> {
    const { context, shard } = this.#input;
    const { pipeline, run } = context;
    const ended = { totals: { ...result.totals }, startedAtMs: this.#startedAtMs };
    tell({ kind: 'shard-ended', pipeline, run, shard, ended });
    if (this.#input.many) return this.#tell(shardEnded, [result, how]);
    const { failedModels: _models, taken: _taken, ...progress } = result;
    if (how === 'cancelled') return this.#tell(shardReport, [progress]);
  }

  /** A terminated run cannot receive signals; its shards are being cancelled anyway. */
  async #tell<Args extends unknown[]>(signal: SignalDefinition<Args>, args: Args): Promise<void> {
    const run = getExternalWorkflowHandle(this.#input.parent);
    await run.signal(signal, ...args).catch(() => undefined);
  }
}
