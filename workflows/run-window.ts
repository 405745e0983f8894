// Decides whether a run may start another shard, and when to read the load again that prevents it.
import { isCancellation } from '@temporalio/workflow';
import type { RunContext } from '../src/plan/run-context.ts';
import type { Plan } from '../src/plan/types.ts';
import {
  type FlightProgress,
  type HeldBy,
  type InFlight,
  isByLoad,
  type Load,
  noLoad,
  windowHeldBy,
} from '../src/plan/window.ts';
import { booksOf } from './activity-options.ts';

/** Time between two readings of the load; increased by half after each, up to the maximum. */
const lookAfterMs = { least: 15_000, most: 120_000 };

export class RunWindow {
  readonly #plan: Plan;
  #load: Load = noLoad;
  #lookAfterMs = lookAfterMs.least;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Takes the load that a worker last reported; none means ample capacity. */
  hear(load: Load = noLoad): void {
    this.#load = load;
  }

  /** @param next number of assets of the next shard */
  heldBy(now: InFlight, next: number): HeldBy {
    const { window, inFlight: atMost } = this.#plan;
    if (atMost === undefined) return now.shards - now.parked < window ? 'nothing' : 'work';
    return windowHeldBy(now, next, { window, atMost, load: this.#load });
  }

  /** null for a plan without a limit for assets in flight. */
  progress(now: InFlight, next: number): FlightProgress | null {
    const { inFlight: atMost } = this.#plan;
    if (atMost === undefined) return null;
    // Includes assets that have finished since the last reports.
    const { assets } = now;
    return { assets, atMost, heldBy: next > 0 ? this.heldBy(now, next) : 'nothing' };
  }

  /** Time until the load must be read again, ms; null if shards report the change. */
  lookDueMs(now: InFlight, next: number): number | null {
    return isByLoad(this.heldBy(now, next)) ? this.#lookAfterMs : null;
  }

  async look(context: RunContext): Promise<void> {
    this.#lookAfterMs = Math.min(1.5 * this.#lookAfterMs, lookAfterMs.most);
    try {
      this.hear(await booksOf(context).read_load({ context }));
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
  }

  /** Called after a shard was started. */
  began(): void {
    this.#lookAfterMs = lookAfterMs.least;
  }
}
