// Decides when a shard reports to its run that nearly all of its assets wait, or no longer do. Each report adds
// events to both histories, and so does each timer.
import { mostlyWaits, type ShardWork } from '../src/plan/window.ts';

/** A state is reported only after it has lasted this long. */
const lastsMs = 10_000;
/** A shard that finishes sooner never reports. */
const notBeforeMs = 20_000;
/** Each check without a report delays the next one, up to this value. */
const patienceAtMostMs = 80_000;

export type PaceNews = 'tell' | { askAgainAtMs: number } | null;

export class ShardPace {
  readonly #startedAtMs: number;
  #waits: boolean;
  #sinceMs: number | null = null;
  #patienceMs = lastsMs;
  #nextLookMs = 0;

  constructor(startedAtMs: number, waits: boolean) {
    this.#startedAtMs = startedAtMs;
    this.#waits = waits;
  }

  /** The state that was last reported to the run. */
  get waits(): boolean {
    return this.#waits;
  }

  /** Whether to report now, or when to check again. */
  look(work: ShardWork, nowMs: number): PaceNews {
    const waits = mostlyWaits(work, this.#waits);
    if (waits === this.#waits) {
      this.#sinceMs = null;
      return null;
    }
    this.#sinceMs ??= nowMs;
    const dueMs = Math.max(this.#sinceMs + lastsMs, this.#startedAtMs + notBeforeMs);
    if (nowMs >= dueMs) {
      this.#waits = waits;
      this.#sinceMs = null;
      this.#patienceMs = lastsMs;
      return 'tell';
    }
    // A shard that makes calls wakes often enough by itself.
    if (!waits) return null;
    if (nowMs >= this.#nextLookMs) {
      this.#nextLookMs = Math.max(dueMs, nowMs + this.#patienceMs);
      this.#patienceMs = Math.min(2 * this.#patienceMs, patienceAtMostMs);
    }
    return { askAgainAtMs: this.#nextLookMs };
  }
}
