// Counts for tests and benchmarks: GET /_sandbox/stats.
import type { OperationId } from 'renderline/api/operations/index';

type Kind = 'models' | 'projects' | 'renderJobs' | 'jobs';

interface Readiness {
  readonly kind: 'model' | 'render';
  readonly id: string;
  readonly readyAt: number;
  /** First answer that showed it ready, in epoch milliseconds. */
  readonly firstSeenAt: number;
}

export class Stats {
  #requests = new Map<OperationId, number>();
  #created = new Map<Kind, number>();
  #fileNames = new Map<string, number>();
  #seen = new Map<string, Readiness>();
  #limited = 0;
  #replayed = 0;
  #keyOutsideApi = 0;

  request(operation: OperationId): void {
    this.#requests.set(operation, (this.#requests.get(operation) ?? 0) + 1);
  }

  limited(): void {
    this.#limited += 1;
  }

  replayed(): void {
    this.#replayed += 1;
  }

  keyOutsideApi(): void {
    this.#keyOutsideApi += 1;
  }

  /** @param fileName For models: counted, so that a test sees duplicates. */
  created(kind: Kind, fileName?: string): void {
    this.#created.set(kind, (this.#created.get(kind) ?? 0) + 1);
    if (fileName !== undefined) {
      this.#fileNames.set(fileName, (this.#fileNames.get(fileName) ?? 0) + 1);
    }
  }

  /** An answer showed this thing ready; only the first one counts. */
  seenReady(kind: Readiness['kind'], id: string, readyAt: number, now: number): void {
    if (!this.#seen.has(id)) this.#seen.set(id, { kind, id, readyAt, firstSeenAt: now });
  }

  report() {
    const requests = Object.fromEntries(this.#requests);
    return {
      requests,
      totalRequests: [...this.#requests.values()].reduce((sum, count) => sum + count, 0),
      rateLimited: this.#limited,
      replayed: this.#replayed,
      keyOutsideApi: this.#keyOutsideApi,
      created: {
        models: this.#created.get('models') ?? 0,
        projects: this.#created.get('projects') ?? 0,
        renderJobs: this.#created.get('renderJobs') ?? 0,
        jobs: this.#created.get('jobs') ?? 0,
      },
      fileNames: Object.fromEntries(this.#fileNames),
      readiness: [...this.#seen.values()],
    };
  }

  reset(): void {
    this.#requests = new Map();
    this.#created = new Map();
    this.#fileNames = new Map();
    this.#seen = new Map();
    this.#limited = 0;
    this.#replayed = 0;
    this.#keyOutsideApi = 0;
  }
}
