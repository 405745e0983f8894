// What a shard tells its run, by signals. Each adds events to both histories.
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
  /** As an activity said last; absent where the worker has room for much more. */
  #load: { load?: Load } = {};

  constructor(input: ShardInput, startedAtMs: number) {
    const { plan, carried } = input;
    this.#input = input;
    this.#startedAtMs = startedAtMs;
    this.#reports = new ShardReports(startedAtMs, Date.now(), plan.tolerate !== undefined);
    this.#pace = new ShardPace(startedAtMs, carried?.waits ?? false);
  }

  /** For a continuation. */
  carried(): { waits?: true } {
    return this.#pace.waits ? { waits: true } : {};
  }

  /** Takes what an activity says of its worker. */
  hear({ load }: { load?: Load }): void {
    this.#load = load ? { load } : {};
  }

  /** Reports where a report is due. */
  async progress(progress: ShardProgress): Promise<void> {
    const { totals } = progress;
    if (!this.#reports.isDue(totals, Date.now())) return;
    this.#reports.told(totals, Date.now());
    await this.#tell(shardReport, [{ ...progress, ...this.#load }]);
  }

  /** A shard whose assets wait makes room for others, where there are any. Gives when to ask again; null: with the next news. */
  async pace({ ended, onlyAside, work }: ShardState): Promise<number | null> {
    const { shard, many } = this.#input;
    // Steps aside have a signal of their own.
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

  /** A cancelled workflow has no result, so the run is told its totals; of many, how any has ended. */
  async ended(result: ShardResult, how: 'done' | 'cancelled'): Promise<void> {
    const { context, shard } = this.#input;
    const { pipeline, run } = context;
    const ended = { totals: { ...result.totals }, startedAtMs: this.#startedAtMs };
    tell({ kind: 'shard-ended', pipeline, run, shard, ended });
    if (this.#input.many) return this.#tell(shardEnded, [result, how]);
    const { failedModels: _models, taken: _taken, ...progress } = result;
    if (how === 'cancelled') return this.#tell(shardReport, [progress]);
  }

  /** A terminated run cannot be told; its shards are being cancelled anyway. */
  async #tell<Args extends unknown[]>(signal: SignalDefinition<Args>, args: Args): Promise<void> {
    const run = getExternalWorkflowHandle(this.#input.parent);
    await run.signal(signal, ...args).catch(() => undefined);
  }
}
