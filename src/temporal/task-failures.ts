// Workflow tasks that a worker fails on: its code does not fit the runs that are open. What a run or the platform does wrong
// is no such failure.
import { monotonicMs } from '../api/clock.ts';

/** Each run tells once, when the worker first meets it; the server asks again ever more rarely. */
const withinMs = 5 * 60_000;
const kept = 100;

export class TaskFailures {
  readonly #now: () => number;
  #failures: { atMs: number; why: string }[] = [];

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  note(why: string): void {
    this.#failures.push({ atMs: this.#now(), why });
    this.#forget();
  }

  /** The newest failure in words, or null. */
  get trouble(): string | null {
    this.#forget();
    const last = this.#failures.at(-1);
    if (!last) return null;
    return `it failed on the workflow tasks of ${this.#failures.length} runs or shards within five minutes; the last: ${last.why}`;
  }

  #forget(): void {
    const sinceMs = this.#now() - withinMs;
    this.#failures = this.#failures.filter(({ atMs }) => atMs >= sinceMs).slice(-kept);
  }
}
