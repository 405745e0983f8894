// Estimates the age from which items of a kind are probably finished, so that polling them is worth a request. Learned from
// polls, which never see the moment of the end: an item was open at one age and finished at another. Pure.

/** Share of items that should be finished when they are polled at the estimated age. */
const finishedShare = 0.9;
/** Step by which one item moves the estimate. A hundred items that are all still open double it. */
const stepUp = 0.008;
const stepDown = (stepUp * (1 - finishedShare)) / finishedShare;
/** While nothing was seen finished, items are polled again at this multiple of the oldest age seen open. */
const firstRepollFactor = 1.5;
/** How far an item that finished before the estimate pulls it down: such an item proves that the kind can be that quick. */
const earlyFinishWeight = 0.02;

export interface Observation {
  /** The oldest age at which the item was seen open, ms; 0 if never. */
  lastOpenAgeMs: number;
  /** The age of the item at this poll, ms. */
  ageMs: number;
  isFinished: boolean;
}

export class DurationEstimate {
  #ms: number | null = null;
  /** The oldest age at which any item was seen open before the first one was seen finished, ms. */
  #openMs = 0;

  /** True once an item was seen finished. */
  get isKnown(): boolean {
    return this.#ms !== null;
  }

  /** The estimated age, ms. Before the estimate is known: the age from which a poll is worthwhile to learn it. */
  get ms(): number {
    return this.#ms ?? firstRepollFactor * this.#openMs;
  }

  /** An old finished item moves the estimate down less than a young one: if polls are late, every item is finished. */
  observe({ lastOpenAgeMs, ageMs, isFinished }: Observation): void {
    const estimateMs = this.#ms;
    if (estimateMs === null) {
      if (isFinished) this.#ms = Math.max(1, (lastOpenAgeMs + ageMs) / 2);
      else this.#openMs = Math.max(this.#openMs, ageMs);
      return;
    }
    // Each item counts once: at the poll that shows on which side of the estimate it finished.
    if (lastOpenAgeMs >= estimateMs) return;
    if (isFinished && ageMs < estimateMs)
      this.#ms = Math.max(1, estimateMs + earlyFinishWeight * (ageMs - estimateMs));
    else if (isFinished) this.#ms = Math.max(1, estimateMs * (1 - stepDown * (estimateMs / ageMs)));
    else if (ageMs >= estimateMs) this.#ms = estimateMs * (1 + stepUp);
  }
}
