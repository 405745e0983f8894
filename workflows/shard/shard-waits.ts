// The open waits of a shard, each with its assets. Decides when newly arrived assets start another wait.
import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { StepEntry } from '../../src/plan/shard/cells.ts';
import { computeAverageMs, decideWait, type WaitDecision } from '../../src/plan/wait-policy.ts';
import { asCancellation, findRunCause } from '../failures.ts';

interface Wait {
  id: number;
  step: string;
  entries: readonly StepEntry[];
  scope: CancellationScope;
  isInterrupted: boolean;
}

export class ShardWaits {
  readonly #waits = new Map<number, Wait>();
  /** Average time of assets in each step so far, ms. */
  readonly #averageMsByStep: Map<string, number>;
  /** Steps whose wait a run cause has ended. It would end at once again, until somebody corrects the cause. */
  readonly #blockedSteps = new Set<string>();
  #lastId = 0;

  constructor(durationsMs: Readonly<Record<string, number>> = {}) {
    this.#averageMsByStep = new Map(Object.entries(durationsMs));
  }

  get waitDurationsMs(): Record<string, number> {
    return Object.fromEntries(
      [...this.#averageMsByStep].map(([step, ms]) => [step, Math.round(ms)]),
    );
  }

  /**
   * Decides whether ready assets start a wait. Returns null if none are ready, if the step is blocked, and while an
   * interrupted wait of the step has not ended.
   */
  decide(step: string, arrivals: readonly StepEntry[], nowMs: number): WaitDecision | null {
    const waitsOfStep = [...this.#waits.values()].filter((wait) => wait.step === step);
    const isEnding = waitsOfStep.some(({ isInterrupted }) => isInterrupted);
    if (arrivals.length === 0 || this.#blockedSteps.has(step) || isEnding) return null;
    const oldestReadyAtMs = findFirstEnteredAtMs(arrivals);
    return decideWait(
      { assets: arrivals.length, oldestReadyAtMs },
      waitsOfStep.map(({ id, entries }) => ({
        id,
        assets: entries.length,
        newestReadyAtMs: Math.max(...entries.map(({ enteredAtMs }) => enteredAtMs)),
      })),
      {
        usualDurationMs: this.#averageMsByStep.get(step) ?? null,
        firstEnteredAtMs: Math.min(
          oldestReadyAtMs,
          ...waitsOfStep.map(({ entries }) => findFirstEnteredAtMs(entries)),
        ),
        nowMs,
      },
    );
  }

  /**
   * Runs a wait so that it can be interrupted.
   * @throws CancelledFailure if it was interrupted without a result
   */
  async runInterruptible<T>(
    step: string,
    entries: readonly StepEntry[],
    task: () => Promise<T>,
  ): Promise<T> {
    this.#lastId += 1;
    const id = this.#lastId;
    const scope = new CancellationScope();
    const wait: Wait = { id, step, entries, scope, isInterrupted: false };
    this.#waits.set(id, wait);
    try {
      return await scope.run(task);
    } catch (error) {
      if (findRunCause(asCancellation(error))) this.#blockedSteps.add(step);
      // The cancelled attempt may report "not yet", which is not a failure of its assets.
      else if (scope.consideredCancelled) throw new CancelledFailure('interrupted');
      throw error;
    } finally {
      this.#waits.delete(id);
    }
  }

  /** Lets blocked steps wait again. */
  unblock(): void {
    this.#blockedSteps.clear();
  }

  /** Interrupts waits. Their assets are ready again when the waits have ended: at once, unless a poll is running. */
  interrupt(ids: Iterable<number>): void {
    for (const id of ids) {
      const wait = this.#waits.get(id);
      if (!wait || wait.isInterrupted) continue;
      wait.isInterrupted = true;
      wait.scope.cancel();
    }
  }

  interruptSteps(steps: ReadonlySet<string>): void {
    const waits = [...this.#waits.values()].filter(({ step }) => steps.has(step));
    this.interrupt(waits.map(({ id }) => id));
  }

  interruptAll(): void {
    this.interrupt(this.#waits.keys());
  }

  /** Records how long these assets took in a step. */
  recordDurations(step: string, entries: readonly StepEntry[], nowMs: number): void {
    const durationsMs = entries.map(({ enteredAtMs }) => nowMs - enteredAtMs);
    const average = computeAverageMs(this.#averageMsByStep.get(step) ?? null, durationsMs);
    if (average !== null) this.#averageMsByStep.set(step, average);
  }
}

function findFirstEnteredAtMs(entries: readonly StepEntry[]): number {
  return Math.min(...entries.map(({ enteredAtMs }) => enteredAtMs));
}
