// Recognises repeated events in bounded memory. An event too old to be distinguished from a repetition is stale. Pure.

export interface SeenOptions {
  /** Maximum number of remembered ids. */
  most: number;
  /** Maximum age of an event that is not stale. */
  freshForMs: number;
}

/** State for a continuation. */
export interface CarriedSeen {
  /** Ids in the order of arrival. */
  seen: string[];
  /** When each event happened; absent in state of an earlier version. */
  seenAtMs?: number[];
  /** Events up to this time may have been forgotten; null: none was. */
  forgottenMs?: number | null;
}

export class Seen {
  /** When each event happened, by id, in the order of arrival. */
  readonly #atMs = new Map<string, number>();
  readonly #options: SeenOptions;
  /** Events up to this time may have been forgotten. */
  #forgottenMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs time of carried ids that do not say when they happened */
  constructor(options: SeenOptions, carried: CarriedSeen = { seen: [] }, nowMs = 0) {
    this.#options = options;
    const { seen, seenAtMs = [], forgottenMs } = carried;
    for (const [at, id] of seen.entries()) this.#atMs.set(id, seenAtMs[at] ?? nowMs);
    this.#forgottenMs = forgottenMs ?? Number.NEGATIVE_INFINITY;
  }

  /** @param atMs when the event happened by its own account; null if it does not say */
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
