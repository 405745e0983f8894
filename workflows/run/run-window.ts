// Decides whether a run may start another shard. If a high load prevents this, decides when to read the load again.
import { isCancellation } from '@temporalio/workflow';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import {
  type FlightProgress,
  findWindowHold,
  type HeldBy,
  type InFlight,
  isLoadLimit,
  type Load,
  noLoad,
} from '../../src/plan/shard/window.ts';
import type { Plan } from '../../src/plan/types.ts';
import { proxyEngineActivity } from '../activity-options.ts';

/** Time between two readings of the load. It increases by half after each reading, up to the maximum. */
const loadCheckDelayMs = { min: 15_000, max: 120_000 };

export class RunWindow {
  readonly #plan: Plan;
  #load: Load = noLoad;
  #loadCheckDelayMs = loadCheckDelayMs.min;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Stores the load that a worker last reported. A missing load means ample capacity. */
  updateLoad(load: Load = noLoad): void {
    this.#load = load;
  }

  /** Finds what keeps the run from starting the next shard. @param next number of assets of the next shard */
  heldBy(current: InFlight, next: number): HeldBy {
    const { window, inFlight: max } = this.#plan;
    return findWindowHold(current, next, { window, maxAssets: max, load: this.#load });
  }

  progress(current: InFlight, next: number): FlightProgress {
    const { inFlight: max } = this.#plan;
    // Assets that have finished since the last reports are still included.
    const { assets } = current;
    return { assets, max, heldBy: next > 0 ? this.heldBy(current, next) : 'nothing' };
  }

  /** Returns the time until the load must be read again, ms. Null if the load does not prevent another shard. */
  msUntilLoadCheck(current: InFlight, next: number): number | null {
    return isLoadLimit(this.heldBy(current, next)) ? this.#loadCheckDelayMs : null;
  }

  async refreshLoad(context: RunContext): Promise<void> {
    this.#loadCheckDelayMs = Math.min(1.5 * this.#loadCheckDelayMs, loadCheckDelayMs.max);
    try {
      this.updateLoad(await proxyEngineActivity('readLoad', context)({ context }));
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
  }

  /** Makes the next reading of the load early again. Called after the start of a shard. */
  resetCheckDelay(): void {
    this.#loadCheckDelayMs = loadCheckDelayMs.min;
  }
}
