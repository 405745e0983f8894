// Decides whether a run may begin another shard, and when it looks again at what keeps it from that.
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

/** Time from one look at the load to the next; each one makes it longer by half, up to the most. */
const lookAfterMs = { least: 15_000, most: 120_000 };

export class RunWindow {
  readonly #plan: Plan;
  #load: Load = noLoad;
  #lookAfterMs = lookAfterMs.least;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Takes what a worker last said; nothing where it has room for much more. */
  hear(load: Load = noLoad): void {
    this.#load = load;
  }

  /** @param next assets of the next shard */
  heldBy(now: InFlight, next: number): HeldBy {
    const { window, inFlight: atMost } = this.#plan;
    if (atMost === undefined) return now.shards - now.parked < window ? 'nothing' : 'work';
    return windowHeldBy(now, next, { window, atMost, load: this.#load });
  }

  /** null in a plan that says nothing of assets in flight. */
  progress(now: InFlight, next: number): FlightProgress | null {
    const { inFlight: atMost } = this.#plan;
    if (atMost === undefined) return null;
    // What has ended since the last reports is still among them.
    const { assets } = now;
    return { assets, atMost, heldBy: next > 0 ? this.heldBy(now, next) : 'nothing' };
  }

  /** After how long to look at the load again, ms; null where shards tell of what changes. */
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

  /** A shard was begun. */
  began(): void {
    this.#lookAfterMs = lookAfterMs.least;
  }
}
