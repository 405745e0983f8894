// Counts workflow tasks that fail on this worker, because its code does not match the open runs. Failures of a run or
// of the platform do not count.
import { readMonotonicMs } from '../../api/clock.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';

/** How long a failure counts, ms. A failing run counts once at first, since the server retries with growing delays. */
const withinMs = 5 * 60_000;
const maxKept = 100;

export class TaskFailures {
  readonly #now: () => number;
  #failures: { atMs: number; why: string }[] = [];

  constructor(now: () => number = readMonotonicMs) {
    this.#now = now;
  }

  add(reason: string): void {
    this.#failures.push({ atMs: this.#now(), why: reason });
    this.#forget();
  }

  /** A description of the recent failures. Null if there are none. */
  get trouble(): string | null {
    this.#forget();
    const last = this.#failures.at(-1);
    if (!last) return null;
    return `it failed ${formatCount(this.#failures.length, 'workflow task')} of runs or shards within five minutes; the last: ${last.why}`;
  }

  #forget(): void {
    const sinceMs = this.#now() - withinMs;
    this.#failures = this.#failures.filter(({ atMs }) => atMs >= sinceMs).slice(-maxKept);
  }
}
