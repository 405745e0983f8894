// Decides when a shard reports to its run that nearly all of its assets wait, or no longer do. Each report adds
// events to both histories, and so does each timer.
import { isMostlyWaiting, type ShardWork } from '../../src/plan/shard/window.ts';

/** A state is reported only after it has lasted this long. */
const stableMs = 10_000;
/** Minimum age of a shard for a report. A shard that finishes sooner never reports. */
const minShardAgeMs = 20_000;
/** Maximum delay of the next check. Each check without a report increases the delay, up to this value. */
const maxCheckDelayMs = 80_000;

export type WaitingDecision = 'report' | { nextCheckAtMs: number } | null;

export class WaitingReports {
  readonly #startedAtMs: number;
  #waits: boolean;
  #sinceMs: number | null = null;
  #checkDelayMs = stableMs;
  #nextCheckAtMs = 0;

  constructor(startedAtMs: number, waits: boolean) {
    this.#startedAtMs = startedAtMs;
    this.#waits = waits;
  }

  /** The state that was last reported to the run. */
  get waits(): boolean {
    return this.#waits;
  }

  /** Decides whether to report now, or when to check again. */
  check(shardWork: ShardWork, nowMs: number): WaitingDecision {
    const waits = isMostlyWaiting(shardWork, this.#waits);
    if (waits === this.#waits) {
      this.#sinceMs = null;
      return null;
    }
    this.#sinceMs ??= nowMs;
    const dueAtMs = Math.max(this.#sinceMs + stableMs, this.#startedAtMs + minShardAgeMs);
    if (nowMs >= dueAtMs) {
      this.#waits = waits;
      this.#sinceMs = null;
      this.#checkDelayMs = stableMs;
      return 'report';
    }
    // A shard that makes calls is checked after each call, so no timer is needed.
    if (!waits) return null;
    if (nowMs >= this.#nextCheckAtMs) {
      this.#nextCheckAtMs = Math.max(dueAtMs, nowMs + this.#checkDelayMs);
      this.#checkDelayMs = Math.min(2 * this.#checkDelayMs, maxCheckDelayMs);
    }
    return { nextCheckAtMs: this.#nextCheckAtMs };
  }
}
