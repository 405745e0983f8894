// Counts for tests and benchmarks: GET /_sandbox/stats, and /_sandbox/stats/summary without the lists.
import type { OperationId } from 'renderline/api/operations/index';

const noneCreated = { models: 0, projects: 0, renderJobs: 0, jobs: 0 };
const noEvents = { rateLimited: 0, replayed: 0, keySentToStorage: 0 };

interface Readiness {
  readonly kind: 'model' | 'render';
  readonly id: string;
  readonly readyAt: number;
  /** Time of the first response that showed the resource as ready, in epoch milliseconds. */
  readonly firstSeenAt: number;
}

export class Stats {
  #requests = new Map<OperationId, number>();
  #created = noneCreated;
  #events = noEvents;
  #fileNames = new Map<string, number>();
  #readinessById = new Map<string, Readiness>();

  request(operation: OperationId): void {
    this.#requests.set(operation, (this.#requests.get(operation) ?? 0) + 1);
  }

  count(event: keyof typeof noEvents): void {
    this.#events = { ...this.#events, [event]: this.#events[event] + 1 };
  }

  /** @param fileName file name of a model, counted to detect duplicates */
  created(kind: keyof typeof noneCreated, fileName?: string): void {
    this.#created = { ...this.#created, [kind]: this.#created[kind] + 1 };
    if (fileName !== undefined) {
      this.#fileNames.set(fileName, (this.#fileNames.get(fileName) ?? 0) + 1);
    }
  }

  /** Records that a response has shown this resource as ready. Only the first time counts. */
  seenReady(kind: Readiness['kind'], id: string, readyAt: number, nowMs: number): void {
    if (!this.#readinessById.has(id))
      this.#readinessById.set(id, { kind, id, readyAt, firstSeenAt: nowMs });
  }

  report() {
    const { rateLimited: _, ...events } = this.#events;
    return {
      ...this.#counts(),
      ...events,
      fileNames: Object.fromEntries(this.#fileNames),
      readiness: [...this.#readinessById.values()],
    };
  }

  /** Returns counts whose size does not depend on the number of resources, so that they can be polled. */
  summary() {
    return { ...this.#counts(), seenReady: this.#readinessById.size };
  }

  /** Returns the 95th percentile of the ms from ready to first seen, for models and renders together. */
  noticedP95Ms(): number {
    const delays = Float64Array.from(
      [...this.#readinessById.values()],
      ({ readyAt, firstSeenAt }) => Math.max(0, firstSeenAt - readyAt),
    ).sort();
    return Math.round(delays[Math.ceil(delays.length * 0.95) - 1] ?? 0);
  }

  reset(): void {
    this.#requests = new Map();
    this.#created = noneCreated;
    this.#events = noEvents;
    this.#fileNames = new Map();
    this.#readinessById = new Map();
  }

  #counts() {
    return {
      requests: Object.fromEntries(this.#requests),
      totalRequests: [...this.#requests.values()].reduce((sum, count) => sum + count, 0),
      rateLimited: this.#events.rateLimited,
      created: this.#created,
    };
  }
}
