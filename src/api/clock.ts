// Clocks that do not depend on this machine's time of day, which may be wrong or may be set while a run is active.

/** Returns monotonic ms for durations, unaffected by changes of the machine's clock. Roughly epoch-based. */
export function readMonotonicMs(): number {
  return performance.timeOrigin + performance.now();
}

export interface MachineClocks {
  /** Wall clock, epoch ms. */
  wall: () => number;
  /** See `readMonotonicMs`. */
  monotonic: () => number;
}

const machine: MachineClocks = { wall: () => Date.now(), monotonic: readMonotonicMs };

/** If the two clocks drift apart by at least this much after a response, the clock was set or the machine slept. */
const minClockStepMs = 5_000;
/** Smaller clock skew is not reported. Skew is reported again once it has changed by at least this much. */
const minReportedSkewMs = 10_000;

/**
 * The platform's time. The `Date` headers of its responses set bounds, which advance with the monotonic clock. The time
 * is the machine's time of day if that lies within the bounds, otherwise the nearer bound.
 */
export class PlatformClock {
  readonly #machine: MachineClocks;
  readonly #onSkewChange: (aheadMs: number) => void;
  /** Bounds of the platform's time minus the monotonic clock. Null before the first response with a date. */
  #bounds: { minMs: number; maxMs: number; wallMs: number } | null = null;
  #reportedMs = 0;

  /** @param onSkewChange called when the skew of the machine's clock has changed (0 if the clock is right) */
  constructor(onSkewChange: (aheadMs: number) => void = () => {}, clocks: MachineClocks = machine) {
    this.#machine = clocks;
    this.#onSkewChange = onSkewChange;
  }

  /** The platform's time in epoch ms. Before the first response with a date, this machine's time. */
  now(): number {
    const { wall, monotonic } = this.#machine;
    if (this.#bounds === null) return wall();
    const { minMs, maxMs } = this.#bounds;
    const nowMs = monotonic();
    return nowMs + Math.min(Math.max(wall() - nowMs, minMs), maxMs);
  }

  /** How far the machine's clock is ahead, in ms. 0 if both clocks agree or if the skew is unknown. */
  get aheadMs(): number {
    return this.#bounds === null ? 0 : Math.round(this.#machine.wall() - this.now());
  }

  /** False if the machine's clock was set, or the machine slept, since the last response. */
  get isCertain(): boolean {
    if (this.#bounds === null) return true;
    return Math.abs(this.#wallOffsetMs() - this.#bounds.wallMs) < minClockStepMs;
  }

  /** Returns the time at which a request is sent, for `recordResponse`. */
  sendingAtMs(): number {
    return this.#machine.monotonic();
  }

  /**
   * Narrows the bounds using a response.
   * @param dateMs its Date header, whole seconds
   * @param sentAtMs result of `sendingAtMs`
   */
  recordResponse(dateMs: number, sentAtMs: number): void {
    const { monotonic } = this.#machine;
    let [minMs, maxMs] = [dateMs - monotonic(), dateMs + 1_000 - sentAtMs];
    // Each response narrows the bounds. A response that contradicts them replaces them.
    const previousBounds = this.#bounds;
    if (previousBounds && minMs <= previousBounds.maxMs && maxMs >= previousBounds.minMs) {
      minMs = Math.max(minMs, previousBounds.minMs);
      maxMs = Math.min(maxMs, previousBounds.maxMs);
    }
    this.#bounds = { minMs, maxMs, wallMs: this.#wallOffsetMs() };
    const { aheadMs } = this;
    const isRight = Math.abs(aheadMs) < minReportedSkewMs;
    if (isRight ? this.#reportedMs === 0 : Math.abs(aheadMs - this.#reportedMs) < minReportedSkewMs)
      return;
    this.#reportedMs = isRight ? 0 : aheadMs;
    this.#onSkewChange(this.#reportedMs);
  }

  /** Returns the offset between the machine's time of day and the monotonic clock. */
  #wallOffsetMs(): number {
    return this.#machine.wall() - this.#machine.monotonic();
  }
}

/** Returns a warning about the skew of this machine's clock, or null if the skew is small. */
export function formatClockWarning(aheadMs: number): string | null {
  if (Math.abs(aheadMs) < minReportedSkewMs) return null;
  return `this machine's clock is ${formatClockSkew(aheadMs)} the platform's; runs use the clocks of the platform and Temporal, but stores may refuse requests and certificates may look invalid: synchronize this clock (NTP)`;
}

/** Formats the skew as text, for example `25 h ahead of`. */
export function formatClockSkew(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const apart =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7_200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3_600)} h`;
  return `${apart} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}

/**
 * Returns a function that measures the time since this call. It uses whichever clock has advanced more: after sleep
 * only the time of day has advanced, and after the clock was set back only the monotonic clock has.
 */
export function startStopwatch({ wall, monotonic }: MachineClocks = machine): () => number {
  const [wallMs, monotonicAtMs] = [wall(), monotonic()];
  return () => Math.max(wall() - wallMs, monotonic() - monotonicAtMs);
}
