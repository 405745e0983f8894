// From which age on things of a kind are probably over, so that a look at them is worth its request. Learned from looks,
// none of which sees when a thing ended: it was open at one age, and over at another. Pure.

/** Of things that are looked at when they are so old, so many are over. */
const wantedShare = 0.9;
/** What one thing moves the age by. A hundred that are all open double it. */
const stepUp = 0.008;
const stepDown = (stepUp * (1 - wantedShare)) / wantedShare;
/** While nothing was seen to be over, things are worth another look when they are older by so much than those that were open. */
const firstOlderBy = 1.5;
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
  /** The oldest age at which anything was seen open before something was over, ms. */
  #openMs = 0;

  /** Something was seen to be over. */
  get isKnown(): boolean {
    return this.#ms !== null;
  }

  /** Before it is known: from which age on it is worth while to find out. */
  get ms(): number {
    return this.#ms ?? firstOlderBy * this.#openMs;
  }

  /** What is over moves the age down the less the older it is: where looks come late, all things are over. */
  saw({ openMs, ageMs, isOver }: SeenAt): void {
    const ripeMs = this.#ms;
    if (ripeMs === null) {
      if (isOver) this.#ms = Math.max(1, (openMs + ageMs) / 2);
      else this.#openMs = Math.max(this.#openMs, ageMs);
      return;
    }
    // It is counted once, at the look that tells on which side of the age it ended.
    if (openMs >= ripeMs) return;
    if (isOver && ageMs < ripeMs) this.#ms = Math.max(1, ripeMs + drawnBy * (ageMs - ripeMs));
    else if (isOver) this.#ms = Math.max(1, ripeMs * (1 - stepDown * (ripeMs / ageMs)));
    else if (ageMs >= ripeMs) this.#ms = ripeMs * (1 + stepUp);
  }
}
