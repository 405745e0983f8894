/** Memory is freed after this time, because other workers may discover the next pages of a run. */
const idleMs = 10 * 60_000;
/** Number of runs that one worker can discover at once without losing their values. */
const maxRuns = 2;

/** What a worker keeps of a run between its discovery pages, until it is idle or displaced by other runs. */
export class RunCache<Run, Value> {
  readonly #entries = new Map<Run, { value: Value; idle: NodeJS.Timeout }>();

  getOrCreate(run: Run, create: () => Value): Value {
    const value = this.#entries.get(run)?.value ?? create();
    this.drop(run);
    for (const other of [...this.#entries.keys()].slice(0, 1 - maxRuns)) this.drop(other);
    this.#entries.set(run, { value, idle: setTimeout(() => this.drop(run), idleMs).unref() });
    return value;
  }

  /** @param value drops the value only if it is this one */
  drop(run: Run, value?: Value): void {
    const entry = this.#entries.get(run);
    if (value !== undefined && entry?.value !== value) return;
    clearTimeout(entry?.idle);
    this.#entries.delete(run);
  }
}
