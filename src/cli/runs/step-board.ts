// Adds up the steps of all shards that were seen, so that the table does not lose finished ones.
import type { ShardProgress, StepCount, Totals } from '../../plan/contract.ts';

export class StepBoard {
  readonly #seen = new Map<number, ShardProgress>();
  #open: readonly number[] = [];

  /** `open`: shards in flight by the run's own count; `shards`: those that answered. */
  update(open: readonly number[], shards: readonly ShardProgress[]): void {
    this.#open = open;
    for (const shard of shards) this.#seen.set(shard.shard, shard);
  }

  /** Counts per step in the order of the plan. */
  rows(steps: readonly string[]): { id: string; count: StepCount }[] {
    const sums = new Map<string, StepCount>();
    for (const [shard, progress] of this.#seen) {
      const ended = !this.#open.includes(shard);
      for (const [id, count] of Object.entries(progress.steps)) {
        const sum = sums.get(id) ?? { waiting: 0, running: 0, done: 0, failed: 0 };
        // What was under way when a shard was last seen has come through by the time it has ended.
        sum.waiting += ended ? 0 : count.waiting;
        sum.running += ended ? 0 : count.running;
        sum.done += count.done + (ended ? count.waiting + count.running : 0);
        sum.failed += count.failed;
        sums.set(id, sum);
      }
    }
    const order = steps.length > 0 ? steps : [...sums.keys()];
    return order.flatMap((id) => {
      const count = sums.get(id);
      return count === undefined ? [] : [{ id, count }];
    });
  }

  /** The run hears from its shards rarely; one shard seen directly is the newer truth. */
  finer(totals: Totals): Totals {
    const [only] = this.#open.length === 1 ? this.#open : [];
    const progress = only === undefined ? undefined : this.#seen.get(only);
    if (progress === undefined || progress.totals.total < totals.total) return totals;
    return progress.totals;
  }
}
