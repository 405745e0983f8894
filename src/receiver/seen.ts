// Which notifications came before, in bounded memory: what cannot be told from a replay any more is stale.

export interface SeenOptions {
  /** Ids in memory. */
  most: number;
  /** How long after it happened an event is still news. */
  freshForMs: number;
}

export class Seen {
  /** When each happened, by id, in the order in which they came. */
  readonly #atMs = new Map<string, number>();
  readonly #options: SeenOptions;
  /** An id that was let go may be as young as this. */
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(options: SeenOptions) {
    this.#options = options;
  }

  /** @param atMs when it happened, as it says itself; null where it does not */
  judge(id: string, atMs: number | null, nowMs: number): 'new' | 'repeated' | 'stale' {
    if (this.#atMs.has(id)) return 'repeated';
    if (atMs === null) return 'new';
    const isOld = atMs < nowMs - this.#options.freshForMs || atMs <= this.#forgottenMs;
    return isOld ? 'stale' : 'new';
  }

  add(id: string, atMs: number | null, nowMs: number): void {
    this.#atMs.set(id, atMs ?? nowMs);
    const staleMs = nowMs - this.#options.freshForMs;
    for (const [first, happenedMs] of this.#atMs) {
      const isStale = happenedMs < staleMs;
      if (!isStale && this.#atMs.size <= this.#options.most) return;
      this.#atMs.delete(first);
      if (!isStale) this.#forgottenMs = Math.max(this.#forgottenMs, happenedMs);
    }
  }
}
