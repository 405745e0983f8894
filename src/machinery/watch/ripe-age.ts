// From which age on things of a kind are probably over, so that a look at them is worth its request. Learned from looks,
// none of which sees when a thing ended: it was open at one age, and over at another. Pure.

/** Of things that are looked at when they are so old, so many are over. */
const wantedShare = 0.8;
/** What one thing moves the age by. A hundred that are all open double it. */
const stepUp = 0.008;
const stepDown = (stepUp * (1 - wantedShare)) / wantedShare;
/** What is over before that age draws it so much nearer: it is certain that things of the kind may be that quick. */
const drawnBy = 0.02;

export interface SeenAt {
  /** The oldest age at which it was seen open, ms; 0: at none. */
  openMs: number;
  /** Its age at this look, ms. */
  ageMs: number;
  isOver: boolean;
}

export class RipeAge {
  #ms: number | null = null;

  /** null: nothing was seen to be over yet. */
  get ms(): number | null {
    return this.#ms;
  }

  /** What is over moves the age down the less the older it is: where looks come late, all things are over. */
  saw({ openMs, ageMs, isOver }: SeenAt): void {
    const ripeMs = this.#ms;
    if (ripeMs === null) {
      if (isOver) this.#ms = Math.max(1, (openMs + ageMs) / 2);
      return;
    }
    // It is counted once, at the look that tells on which side of the age it ended.
    if (openMs >= ripeMs) return;
    if (isOver && ageMs < ripeMs) this.#ms = Math.max(1, ripeMs + drawnBy * (ageMs - ripeMs));
    else if (isOver) this.#ms = Math.max(1, ripeMs * (1 - stepDown * (ripeMs / ageMs)));
    else if (ageMs >= ripeMs) this.#ms = ripeMs * (1 + stepUp);
  }
}
