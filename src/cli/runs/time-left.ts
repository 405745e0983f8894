// Estimates the remaining time of a run from its recent pace. Pure.
import type { StepCount, Totals } from '../../plan/totals.ts';

/** Window in which the pace is measured. It is short because the pace varies with the load of the platform. */
const rememberedMs = 120_000;
/** Samples over a shorter time give no useful pace. */
const leastMs = 10_000;
/** After this time without progress the earlier pace is no longer valid. */
const standsAfterMs = 60_000;
/** Share of the work that must be done before an estimate is shown. */
const leastShare = 0.02;

interface Figures {
  state: string;
  totals: Totals;
  steps: readonly { count: StepCount }[];
  /** Text about an unfinished listing, during which the total is unknown. */
  listing: string | null;
}

export class TimeLeft {
  #looks: { atMs: number; done: number }[] = [];
  #movedAtMs = 0;

  /** Estimated remaining milliseconds; null if it is too early, or if the run is paused or makes no progress. */
  estimate({ state, totals, steps, listing }: Figures, nowMs: number): number | null {
    if (state !== 'running' || listing !== null) {
      this.#looks = [];
      return null;
    }
    // The unit of work is one step of one asset. Failed and skipped assets need no further steps.
    const all = steps.length * (totals.total - totals.skipped - totals.failed);
    const done = Math.min(
      all,
      steps.reduce((sum, { count }) => sum + count.done, 0),
    );
    this.#looks = this.#looks.filter(({ atMs }) => nowMs - atMs <= rememberedMs);
    if (this.#looks.at(-1)?.done !== done) this.#movedAtMs = nowMs;
    this.#looks.push({ atMs: nowMs, done });
    if (nowMs - this.#movedAtMs >= standsAfterMs) return null;
    const first = this.#looks[0];
    if (first === undefined || nowMs - first.atMs < leastMs || done < all * leastShare) return null;
    const pace = (done - first.done) / (nowMs - first.atMs);
    return pace <= 0 || all <= done ? null : (all - done) / pace;
  }
}

/** Deliberately coarse, for example `about 4 min left`. */
export function leftWords(leftMs: number): string {
  const seconds = leftMs / 1000;
  if (seconds < 60) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `about ${minutes} min left`;
  const tens = Math.round(minutes / 10);
  const rest = tens % 6 === 0 || tens >= 60 ? '' : ` ${(tens % 6) * 10} min`;
  return `about ${Math.floor(tens / 6)} h${rest} left`;
}
