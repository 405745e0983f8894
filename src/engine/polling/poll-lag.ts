// Poll lag: the time between two polls, relative to how long the polled items take. More assets in flight make polls more
// expensive and therefore rarer. Beyond some number of assets all of them only wait to be polled, and nothing gets faster.

/** Weight of the newest duration in the moving average. */
const newestWeight = 0.02;

/** The lag of one status poller. Pure. */
export class PollLag {
  #averageMs: number | null = null;

  /** An item was seen finished, `averageMs` after it was first requested. */
  observe(tookMs: number): void {
    this.#averageMs =
      this.#averageMs === null
        ? tookMs
        : this.#averageMs + newestWeight * (tookMs - this.#averageMs);
  }

  /** Time between two polls as a share of the average duration, 0 to 1; 0 while the duration is unknown. */
  share(gapMs: number): number {
    return this.#averageMs === null ? 0 : Math.min(1, gapMs / Math.max(1, this.#averageMs));
  }
}

/** The lag of all status pollers of one poller context. */
export class PollLagMonitor {
  readonly #boards: (() => number)[] = [];

  add(share: () => number): void {
    this.#boards.push(share);
  }

  /** Lag of the slowest status poller, 0 to 1. */
  share(): number {
    return Math.max(0, ...this.#boards.map((share) => share()));
  }
}
