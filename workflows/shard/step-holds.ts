// Holds of a shard: a held step accepts no assets until a time such as a quota's next month. Other steps continue.
import type { ShardState } from '../../src/plan/shard/shard-state.ts';
import type { StepHold, StepOutput } from '../../src/plan/shard/step-contract.ts';
import { addWait, type StepWait } from '../../src/plan/shard/totals.ts';
import type { Step } from '../../src/plan/types.ts';
import { WakeTimer } from './wake-timer.ts';

export class StepHolds {
  readonly #holds = new Map<string, StepHold>();
  /** The timer is not shared, because earlier timers would replace it and each start would add a timer of weeks. */
  readonly #timer: WakeTimer;

  /** @param wake called when a step may accept assets again */
  constructor(wake: () => void) {
    this.#timer = new WakeTimer(wake);
  }

  /** Adds the holds that an activity reports. @param steps the activity's step and its chained steps, in this order */
  add(steps: readonly Step[], { chain = [], ...report }: StepOutput): void {
    for (const [index, { hold }] of [report, ...chain].entries()) {
      const step = steps[index];
      if (step && hold) this.#holds.set(step.id, hold);
    }
  }

  /** True if the step does not accept assets yet. */
  readonly has = (step: string): boolean => this.#holdOf(step) !== null;

  /** Like `has`, and wakes the shard when the hold ends. */
  checkHold(step: string): boolean {
    const hold = this.#holdOf(step);
    if (hold) this.#timer.set(hold.untilMs, `${step} · ${hold.for}`);
    return hold !== null;
  }

  /** Ends all holds, so that every step accepts assets again. */
  clear(): void {
    this.#holds.clear();
  }

  /** Counts the assets that wait for the platform or for the end of a hold, by step. */
  waits(state: ShardState, steps: readonly Step[]): Record<string, StepWait> {
    const waits = state.waits();
    for (const [index, { id, activity }] of steps.entries()) {
      const hold = this.#holdOf(id);
      if (hold === null) continue;
      for (const { enteredAtMs: sinceMs } of state.ready(index, Date.now()))
        addWait(waits, id, { activity, assets: 1, sinceMs, hold });
    }
    return waits;
  }

  #holdOf(step: string): StepHold | null {
    const hold = this.#holds.get(step);
    return hold && hold.untilMs > Date.now() ? hold : null;
  }
}
