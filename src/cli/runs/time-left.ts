// Estimates how long a run still takes, from the pace of its last minutes. Pure.
import type { StepCount, Totals } from '../../plan/totals.ts';

/** Pace of this last time counts: a run speeds up and slows down with what the platform has to do. */
const rememberedMs = 120_000;
/** A shorter look says nothing. */
const leastMs = 10_000;
/** Without progress for so long, the pace before says nothing of what is left. */
const standsAfterMs = 60_000;
/** Share of the work that has to be done before anything is said. */
const leastShare = 0.02;

interface Figures {
  state: string;
  totals: Totals;
  steps: readonly { count: StepCount }[];
  /** Words on a listing that goes on; the total is not known then. */
  listing: string | null;
}

export class TimeLeft {
  #looks: { atMs: number; done: number }[] = [];
  #movedAtMs = 0;

  /** Milliseconds that are left, about; null where nobody can tell: too early, paused, or standing still. */
  estimate({ state, totals, steps, listing }: Figures, nowMs: number): number | null {
    if (state !== 'running' || listing !== null) {
      this.#looks = [];
      return null;
    }
    // A step of an asset is the unit of work. Failed assets take no more.
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

/** Coarse on purpose: `about 4 min left`. */
export function leftWords(leftMs: number): string {
  const seconds = leftMs / 1000;
  if (seconds < 60) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `about ${minutes} min left`;
  const tens = Math.round(minutes / 10);
  const rest = tens % 6 === 0 || tens >= 60 ? '' : ` ${(tens % 6) * 10} min`;
  return `about ${Math.floor(tens / 6)} h${rest} left`;
}
