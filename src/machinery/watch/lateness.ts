// Poll lag: the time between two polls, relative to how long the polled items take. More assets in flight make polls more
// expensive and therefore rarer. Beyond some number of assets all of them only wait to be polled, and nothing gets faster.

/** Weight of the newest duration in the moving average. */
const newest = 0.02;

/** The lag of one status poller. Pure. */
export class Lateness {
  #tookMs: number | null = null;

  /** An item was seen finished, `tookMs` after it was first requested. */
  saw(tookMs: number): void {
    this.#tookMs = this.#tookMs === null ? tookMs : this.#tookMs + newest * (tookMs - this.#tookMs);
  }

  /** Time between two polls as a share of the average duration, 0 to 1; 0 while the duration is unknown. */
  share(gapMs: number): number {
    return this.#tookMs === null ? 0 : Math.min(1, gapMs / Math.max(1, this.#tookMs));
  }
}

/** The lag of all status pollers of one poller context. */
export class LateLooks {
  readonly #boards: (() => number)[] = [];

  add(share: () => number): void {
    this.#boards.push(share);
  }

  /** Lag of the slowest status poller, 0 to 1. */
  share(): number {
    return Math.max(0, ...this.#boards.map((share) => share()));
  }
}
