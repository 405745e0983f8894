// Clocks that do not depend on what this machine takes for the time of day: somebody may set it, or it was never right.

/** Milliseconds that pass evenly, whoever sets the machine's clock: for durations. They begin at the epoch, about. */
export function monotonicMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The clocks of this machine. */
export interface MachineClocks {
  /** Time of day, epoch ms. */
  wall: () => number;
  /** See `monotonicMs`. */
  monotonic: () => number;
}

const machine: MachineClocks = { wall: () => Date.now(), monotonic: monotonicMs };

/** The machine's clock was set, or the machine slept, if its two clocks differ by more than this since the last answer. */
const setAtLeastMs = 5_000;
/** Another difference from the platform's clock is told once it has changed by so much. */
const tellFromMs = 10_000;

/**
 * The platform's time, from the `Date` of its answers. Between answers it passes with the monotonic clock, so that setting
 * the machine's clock does not change it. Where the machine's time of day agrees with the answers, it is that.
 */
export class PlatformClock {
  readonly #machine: MachineClocks;
  readonly #onApart: (aheadMs: number) => void;
  /** Bounds of what is to be added to the monotonic clock; null before the first answer with a date. */
  #known: { leastMs: number; mostMs: number; wallMs: number } | null = null;
  #toldMs = 0;

  /** @param onApart told when the machine's clock is ahead by another time than before; 0: it is right */
  constructor(onApart: (aheadMs: number) => void = () => {}, clocks: MachineClocks = machine) {
    this.#machine = clocks;
    this.#onApart = onApart;
  }

  /** Epoch ms; by the machine's clock before the first answer with a date. */
  now(): number {
    const { wall, monotonic } = this.#machine;
    if (this.#known === null) return wall();
    const { leastMs, mostMs } = this.#known;
    const nowMs = monotonic();
    return nowMs + Math.min(Math.max(wall() - nowMs, leastMs), mostMs);
  }

  /** By how much the machine's clock is ahead, ms; 0 where both agree, or nobody knows. */
  get aheadMs(): number {
    return this.#known === null ? 0 : Math.round(this.#machine.wall() - this.now());
  }

  /** False where the machine's clock was set, or the machine slept, since the last answer. */
  get isCertain(): boolean {
    if (this.#known === null) return true;
    return Math.abs(this.#wallMs() - this.#known.wallMs) < setAtLeastMs;
  }

  /** The time at which a request is sent, for `answered`. */
  sent(): number {
    return this.#machine.monotonic();
  }

  /** @param dateMs of the answer, whole seconds. @param sentMs by `sent` */
  answered(dateMs: number, sentMs: number): void {
    const { monotonic } = this.#machine;
    let [leastMs, mostMs] = [dateMs - monotonic(), dateMs + 1_000 - sentMs];
    // Each answer narrows the bounds, until one shows that they hold no more.
    const before = this.#known;
    if (before && leastMs <= before.mostMs && mostMs >= before.leastMs) {
      leastMs = Math.max(leastMs, before.leastMs);
      mostMs = Math.min(mostMs, before.mostMs);
    }
    this.#known = { leastMs, mostMs, wallMs: this.#wallMs() };
    const { aheadMs } = this;
    const isRight = Math.abs(aheadMs) < tellFromMs;
    if (isRight ? this.#toldMs === 0 : Math.abs(aheadMs - this.#toldMs) < tellFromMs) return;
    this.#toldMs = isRight ? 0 : aheadMs;
    this.#onApart(this.#toldMs);
  }

  /** What is to be added to the monotonic clock for the machine's time of day. */
  #wallMs(): number {
    return this.#machine.wall() - this.#machine.monotonic();
  }
}

/** What is to be said of a machine whose clock is ahead of the platform's by so much; null where that is next to nothing. */
export function clockWarning(aheadMs: number): string | null {
  if (Math.abs(aheadMs) < tellFromMs) return null;
  return `the clock of this machine is ${clockWords(aheadMs)} the platform's; runs go by the clocks of the platform and of Temporal, but stores and certificates may be refused: set it by network time (NTP)`;
}

/** `25 h ahead of` */
export function clockWords(aheadMs: number): string {
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
 * Time since then by the clock that says more of them: a machine that slept counts it by its time of day alone, and one
 * whose clock was set back by its monotonic clock alone.
 */
export function longestSince({ wall, monotonic }: MachineClocks = machine): () => number {
  const [wallMs, monotonicAtMs] = [wall(), monotonic()];
  return () => Math.max(wall() - wallMs, monotonic() - monotonicAtMs);
}
