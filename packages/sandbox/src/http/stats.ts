// Counts for tests and benchmarks: GET /_sandbox/stats, and /_sandbox/stats/summary without the lists.
import type { OperationId } from 'renderline/api/operations/index';

type Kind = 'models' | 'projects' | 'renderJobs' | 'jobs';

interface Readiness {
  readonly kind: 'model' | 'render';
  readonly id: string;
  readonly readyAt: number;
  /** Time of the first response that showed the resource ready, in epoch milliseconds. */
  readonly firstSeenAt: number;
}

export class Stats {
  #requests = new Map<OperationId, number>();
  #createdCounts = new Map<Kind, number>();
  #fileNames = new Map<string, number>();
  #readinessById = new Map<string, Readiness>();
  #limited = 0;
  #replayed = 0;
  #keySentToStorage = 0;

  request(operation: OperationId): void {
    this.#requests.set(operation, (this.#requests.get(operation) ?? 0) + 1);
  }

  limited(): void {
    this.#limited += 1;
  }

  replayed(): void {
    this.#replayed += 1;
  }

  keySentToStorage(): void {
    this.#keySentToStorage += 1;
  }

  /** @param fileName of a model; counted to detect duplicates */
  created(kind: Kind, fileName?: string): void {
    this.#createdCounts.set(kind, (this.#createdCounts.get(kind) ?? 0) + 1);
    if (fileName !== undefined) {
      this.#fileNames.set(fileName, (this.#fileNames.get(fileName) ?? 0) + 1);
    }
  }

  /** Notes that a response has shown this resource ready; only the first time counts. */
  seenReady(kind: Readiness['kind'], id: string, readyAt: number, nowMs: number): void {
    if (!this.#readinessById.has(id))
      this.#readinessById.set(id, { kind, id, readyAt, firstSeenAt: nowMs });
  }

  report() {
    return {
      ...this.#counts(),
      replayed: this.#replayed,
      keySentToStorage: this.#keySentToStorage,
      fileNames: Object.fromEntries(this.#fileNames),
      readiness: [...this.#readinessById.values()],
    };
  }

  /** Counts whose size does not depend on the number of resources, so that they can be polled. */
  summary() {
    return { ...this.#counts(), seenReady: this.#readinessById.size };
  }

  /** 95th percentile of the time from ready to first seen, in milliseconds; models and renders together. */
  noticedP95Ms(): number {
    const delays = Float64Array.from(
      [...this.#readinessById.values()],
      ({ readyAt, firstSeenAt }) => Math.max(0, firstSeenAt - readyAt),
    ).sort();
    return Math.round(delays[Math.ceil(delays.length * 0.95) - 1] ?? 0);
  }

  reset(): void {
    this.#requests = new Map();
    this.#createdCounts = new Map();
    this.#fileNames = new Map();
    this.#readinessById = new Map();
    this.#limited = 0;
    this.#replayed = 0;
    this.#keySentToStorage = 0;
  }

  #counts() {
    return {
      requests: Object.fromEntries(this.#requests),
      totalRequests: [...this.#requests.values()].reduce((sum, count) => sum + count, 0),
      rateLimited: this.#limited,
      created: {
        models: this.#createdCounts.get('models') ?? 0,
        projects: this.#createdCounts.get('projects') ?? 0,
        renderJobs: this.#createdCounts.get('renderJobs') ?? 0,
        jobs: this.#createdCounts.get('jobs') ?? 0,
      },
    };
  }
}
