// Simulates an eventually consistent platform, on which some requests do not see a new resource for a while.
import type { SeededRandom } from './seeded-random.ts';

/** Response fields that contain the id of a created resource. */
const ownIds = [
  'modelId',
  'projectId',
  'jobId',
  'batchId',
  'exportId',
  'propId',
  'decalId',
  'materialId',
  'id',
] as const;
/** Paths of calls that create resources to which later requests refer. */
const creatingPaths =
  /^\/api\/v1\/(models|jobs|projects|renders|colorway-batches|props|decals|materials|models\/[^/]+\/production-files\/export)$/;
/**
 * Lists of resources that no call returns on creation. The resources count as created when a list first contains them.
 */
const derivedListPaths = /^\/api\/v1\/(renders|models\/[^/]+\/(variants|production-files))$/;

/** True for the path of a single render job. A GET of this path shows all outputs of a finished job without lag. */
export function isRenderJobPath(path: string): boolean {
  return /^\/api\/v1\/renders\/[^/]+$/.test(path);
}

/** The lag is long enough for waiting workers to poll before it is over. */
export const lagMs = { min: 2_000, max: 10_000 };

/** True if a POST to this path creates a resource. */
export function createsResources(path: string): boolean {
  return creatingPaths.test(path);
}

/** True if this is the path of a resource with many parts, such as a batch. */
export function isBatchPath(path: string): boolean {
  return /^\/api\/v1\/(renders\/batch|colorway-batches|jobs)\/[^/]+$/.test(path);
}

export class ConsistencyLag {
  readonly #rng: SeededRandom;
  /** Time from which each id is visible. Ids that are not in the map are visible. */
  readonly #visibleAtMs = new Map<string, number>();

  constructor(rng: SeededRandom) {
    this.#rng = rng;
  }

  /** Records the ids that a request to this path has created. */
  recordCreated(path: string, response: unknown, nowMs: number): void {
    if (!createsResources(path)) return;
    for (const id of collectIds(response)) this.#startLag(id, nowMs);
  }

  /** True if the path contains a resource that is not visible yet. */
  isHiddenInPath(path: string, nowMs: number): boolean {
    return path.split('/').some((part) => this.#isHidden(part, nowMs));
  }

  /** True if the request body contains a resource that is not visible yet. */
  isHiddenInBody(body: unknown, nowMs: number): boolean {
    return collectStrings(body).some((text) => this.#isHidden(text, nowMs));
  }

  /** Records ids that a list or batch shows for the first time, if no call returns them on creation. */
  recordListed(path: string, response: unknown, nowMs: number): void {
    if (!(derivedListPaths.test(path) || isBatchPath(path)) || !isObject(response)) return;
    for (const item of Object.values(response).flat()) {
      if (isObject(item) && typeof item['id'] === 'string') this.#startLag(item['id'], nowMs);
    }
  }

  /** Returns the body of a list response without the items that are not visible yet. */
  removeHidden(response: unknown, nowMs: number): unknown {
    if (!isObject(response)) return response;
    let removedCount = 0;
    const entries = Object.entries(response).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value];
      const visibleItems = value.filter((item) => !this.#isHiddenItem(item, nowMs));
      removedCount += value.length - visibleItems.length;
      return [name, visibleItems];
    });
    const { total } = response;
    if (removedCount === 0) return response;
    const newTotal = typeof total === 'number' ? { total: total - removedCount } : {};
    return { ...Object.fromEntries(entries), ...newTotal };
  }

  #isHiddenItem(item: unknown, nowMs: number): boolean {
    return isObject(item) && ownIds.some((name) => this.#isHidden(item[name], nowMs));
  }

  #startLag(id: string, nowMs: number): void {
    if (this.#visibleAtMs.has(id)) return;
    const { min, max } = lagMs;
    this.#visibleAtMs.set(id, nowMs + this.#rng.between(min, max, 'young', this.#visibleAtMs.size));
  }

  #isHidden(id: unknown, nowMs: number): boolean {
    return typeof id === 'string' && (this.#visibleAtMs.get(id) ?? 0) > nowMs;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function collectIds(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectIds);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner !== 'string') return collectIds(inner);
    return ownIds.some((idName) => idName === name) ? [inner] : [];
  });
}

function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(collectStrings);
  return isObject(value) ? Object.values(value).flatMap(collectStrings) : [];
}
