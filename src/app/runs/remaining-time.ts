// Estimates the remaining time of a run from its recent pace. Pure.
import { countRemainingSteps, type StepCount, type StepFigures } from '../../plan/shard/totals.ts';

/** Window for measuring the pace. It is short because the pace varies with the load of the platform. */
const paceWindowMs = 120_000;
/** Minimum period that the samples must cover. A shorter one gives no reliable pace. */
const minMs = 10_000;
/** Time without progress after which the earlier pace is no longer valid. */
const stalledAfterMs = 60_000;
/** Share of the work that must be done before an estimate is shown. */
const minShare = 0.02;

interface ProgressFigures extends StepFigures {
  state: string;
  steps: readonly { count: StepCount }[];
  listing: string | null;
}

export class RemainingTime {
  #samples: { atMs: number; done: number }[] = [];
  #movedAtMs = 0;

  /** Returns the estimated remaining ms. Null if it is too early, or if the run is paused, lists assets or stalls. */
  estimate(figures: ProgressFigures, nowMs: number): number | null {
    const { steps } = figures;
    if (figures.state !== 'running' || figures.listing !== null) {
      this.#samples = [];
      return null;
    }
    // The unit of work is one step of one asset.
    const remainingSteps = countRemainingSteps(figures, steps.length);
    const done = steps.reduce((sum, { count }) => sum + count.done, 0);
    this.#samples = this.#samples.filter(({ atMs }) => nowMs - atMs <= paceWindowMs);
    if (this.#samples.at(-1)?.done !== done) this.#movedAtMs = nowMs;
    this.#samples.push({ atMs: nowMs, done });
    if (nowMs - this.#movedAtMs >= stalledAfterMs) return null;
    const first = this.#samples[0];
    if (first === undefined || nowMs - first.atMs < minMs) return null;
    if (done < (done + remainingSteps) * minShare) return null;
    const pace = (done - first.done) / (nowMs - first.atMs);
    return pace <= 0 || remainingSteps <= 0 ? null : remainingSteps / pace;
  }
}

/** Formats the remaining time, for example `about 4 min left`. The text is deliberately coarse. */
export function formatRemainingTime(remainingMs: number): string {
  const seconds = remainingMs / 1000;
  if (seconds < 60) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `about ${minutes} min left`;
  const tens = Math.round(minutes / 10);
  const minutePart = tens % 6 === 0 || tens >= 60 ? '' : ` ${(tens % 6) * 10} min`;
  return `about ${Math.floor(tens / 6)} h${minutePart} left`;
}
