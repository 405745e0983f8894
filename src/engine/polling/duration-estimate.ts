// Estimates the age at which items of a kind are probably finished, so that polling them is worth a request. Polls do
// not show when an item finished, only that it was open at one age and finished at a later one. Pure.

/** Share of items that should be finished when they are polled at the estimated age. */
const finishedShare = 0.9;
/** How much one item changes the estimate. About a hundred items that are still open double it. */
const stepUp = 0.008;
const stepDown = (stepUp * (1 - finishedShare)) / finishedShare;
/** Until an item has been seen finished, items are polled again at this multiple of the oldest age seen open. */
const firstRepollFactor = 1.5;
/** Weight of an item that finished before the estimated age, which proves that items can be that fast. */
const earlyFinishWeight = 0.02;

export interface Observation {
  /** The oldest age at which the item was seen open, in ms. 0 if it was never seen open. */
  lastOpenAgeMs: number;
  /** Time between the first request of the item and this poll, in ms. */
  ageMs: number;
  isFinished: boolean;
}

export class DurationEstimate {
  #ms: number | null = null;
  /** The oldest age at which an item was still open, in ms. Used until an item has finished. */
  #openMs = 0;

  /** True once an item has been seen finished. */
  get isKnown(): boolean {
    return this.#ms !== null;
  }

  /** The estimated age in ms. Until the estimate is known, the age from which items are polled to determine it. */
  get ms(): number {
    return this.#ms ?? firstRepollFactor * this.#openMs;
  }

  /** An old finished item lowers the estimate less than a young one, because late polls find every item finished. */
  observe({ lastOpenAgeMs, ageMs, isFinished }: Observation): void {
    const estimateMs = this.#ms;
    if (estimateMs === null) {
      if (isFinished) this.#ms = Math.max(1, (lastOpenAgeMs + ageMs) / 2);
      else this.#openMs = Math.max(this.#openMs, ageMs);
      return;
    }
    // An item counts once. An earlier poll at or after the estimated age has already counted it.
    if (lastOpenAgeMs >= estimateMs) return;
    if (isFinished && ageMs < estimateMs)
      this.#ms = Math.max(1, estimateMs + earlyFinishWeight * (ageMs - estimateMs));
    else if (isFinished) this.#ms = Math.max(1, estimateMs * (1 - stepDown * (estimateMs / ageMs)));
    else if (ageMs >= estimateMs) this.#ms = estimateMs * (1 + stepUp);
  }
}
