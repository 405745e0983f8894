// Recognises repeated events in bounded memory. An event is stale if it is so old that its id may be forgotten. Pure.

export interface DeduplicatorOptions {
  max: number;
  /** Maximum age of an event that is not stale. */
  freshForMs: number;
}

export interface CarriedEventIds {
  /** Ids in the order of arrival. */
  eventIds: string[];
  happenedAtMs: number[];
  /** Fresh ids of events up to this time may have been forgotten. Null if none was. */
  forgottenUntilMs: number | null;
}

export class EventDeduplicator {
  /** When each event happened, by id, in the order of arrival. */
  readonly #happenedAtMs = new Map<string, number>();
  readonly #options: DeduplicatorOptions;
  /** Ids of events up to this time may have been forgotten. */
  #forgottenUntilMs: number;

  constructor(options: DeduplicatorOptions, carriedIds?: CarriedEventIds) {
    this.#options = options;
    this.#forgottenUntilMs = carriedIds?.forgottenUntilMs ?? Number.NEGATIVE_INFINITY;
    for (const [index, id] of (carriedIds?.eventIds ?? []).entries()) {
      this.#happenedAtMs.set(id, carriedIds?.happenedAtMs[index] ?? 0);
    }
  }

  /** @param atMs time that the event states. Null if the event states none, in which case it is never stale */
  classify(id: string, atMs: number | null, nowMs: number): 'new' | 'repeated' | 'stale' {
    if (this.#happenedAtMs.has(id)) return 'repeated';
    if (atMs === null) return 'new';
    const isOld = atMs < nowMs - this.#options.freshForMs || atMs <= this.#forgottenUntilMs;
    return isOld ? 'stale' : 'new';
  }

  add(id: string, atMs: number | null, nowMs: number): void {
    this.#happenedAtMs.set(id, atMs ?? nowMs);
    const staleAtMs = nowMs - this.#options.freshForMs;
    for (const [first, happenedAtMs] of this.#happenedAtMs) {
      const isStale = happenedAtMs < staleAtMs;
      if (!isStale && this.#happenedAtMs.size <= this.#options.max) return;
      this.#happenedAtMs.delete(first);
      if (!isStale) this.#forgottenUntilMs = Math.max(this.#forgottenUntilMs, happenedAtMs);
    }
  }

  carried(): CarriedEventIds {
    const forgottenMs = Number.isFinite(this.#forgottenUntilMs) ? this.#forgottenUntilMs : null;
    return {
      eventIds: [...this.#happenedAtMs.keys()],
      happenedAtMs: [...this.#happenedAtMs.values()],
      forgottenUntilMs: forgottenMs,
    };
  }
}
