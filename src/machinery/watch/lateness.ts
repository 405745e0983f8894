// How late looks come, beside what the things that they look for take. More assets in flight make looks dearer and so
// rarer: beyond some number all assets wait to be noticed, and nothing is done sooner for them.

/** Share of the newest in the average of how long things took. */
const newest = 0.02;

/** Of one board. Pure. */
export class Lateness {
  #tookMs: number | null = null;

  /** Something was seen to be over, so long after somebody first asked for it. */
  saw(tookMs: number): void {
    this.#tookMs = this.#tookMs === null ? tookMs : this.#tookMs + newest * (tookMs - this.#tookMs);
  }

  /** Time between two looks as a share of what things take, from 0 to 1; 0 while nobody knows what they take. */
  share(gapMs: number): number {
    return this.#tookMs === null ? 0 : Math.min(1, gapMs / Math.max(1, this.#tookMs));
  }
}

/** Of all boards of a worker's eyes. */
export class LateLooks {
  readonly #boards: (() => number)[] = [];

  add(share: () => number): void {
    this.#boards.push(share);
  }

  /** Of the board that is worst off, from 0 to 1. */
  share(): number {
    return Math.max(0, ...this.#boards.map((share) => share()));
  }
}
