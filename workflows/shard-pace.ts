// Decides when a shard tells its run that nearly all of its assets wait, or that they do so no more. Each time adds events
// to both histories, and so does each timer.
import { mostlyWaits, type ShardWork } from '../src/plan/window.ts';

/** What is told has lasted for so long. */
const lastsMs = 10_000;
/** A shard that is done sooner never tells. */
const notBeforeMs = 20_000;
/** Each look that came to nothing makes the next one come later, up to this. */
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

  /** As the run was told last. */
  get waits(): boolean {
    return this.#waits;
  }

  /** What to do: tell the run, or look again by then. */
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
    // A shard at calls wakes often enough by itself.
    if (!waits) return null;
    if (nowMs >= this.#nextLookMs) {
      this.#nextLookMs = Math.max(dueMs, nowMs + this.#patienceMs);
      this.#patienceMs = Math.min(2 * this.#patienceMs, patienceAtMostMs);
    }
    return { askAgainAtMs: this.#nextLookMs };
  }
}
