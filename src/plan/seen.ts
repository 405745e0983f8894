// Which events came before, in bounded memory: what cannot be told from a repetition any more is stale. Pure.

export interface SeenOptions {
  /** Ids in memory. */
  most: number;
  /** How long after it happened an event is still news. */
  freshForMs: number;
}

/** What a `Seen` hands to one that goes on for it. */
export interface CarriedSeen {
  /** Ids, in the order in which they came. */
  seen: string[];
  /** When each happened; absent where a version before wrote it. */
  seenAtMs?: number[];
  /** An id that was forgotten may be as young as this; null: none was. */
  forgottenMs?: number | null;
}

export class Seen {
  /** When each happened, by id, in the order in which they came. */
  readonly #atMs = new Map<string, number>();
  readonly #options: SeenOptions;
  /** An id that was let go may be as young as this. */
  #forgottenMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs counts for carried ids that do not say when they happened: no later than now */
  constructor(options: SeenOptions, carried: CarriedSeen = { seen: [] }, nowMs = 0) {
    this.#options = options;
    const { seen, seenAtMs = [], forgottenMs } = carried;
    for (const [at, id] of seen.entries()) this.#atMs.set(id, seenAtMs[at] ?? nowMs);
    this.#forgottenMs = forgottenMs ?? Number.NEGATIVE_INFINITY;
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

  carried(): CarriedSeen {
    const forgottenMs = Number.isFinite(this.#forgottenMs) ? this.#forgottenMs : null;
    return { seen: [...this.#atMs.keys()], seenAtMs: [...this.#atMs.values()], forgottenMs };
  }
}
