// Simulates an eventually consistent platform: a new resource is not visible to every request at once.
import type { Dice } from './dice.ts';

/** Response fields that hold the id of a created resource. */
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
/** Paths of calls that create resources which later requests name. */
const making =
  /^\/api\/v1\/(models|jobs|projects|renders|colorway-batches|props|decals|materials|models\/[^/]+\/production-files\/export)$/;
/** Lists of resources that no call names on creation. These count as created when a list first shows them. */
const grown = /^\/api\/v1\/(renders|models\/[^/]+\/(variants|production-files))$/;

/** Is this the path of a single render job? Its GET shows all outputs of a finished job without lag. */
export function isJob(path: string): boolean {
  return /^\/api\/v1\/renders\/[^/]+$/.test(path);
}

/** Long enough that waiting workers poll before the lag is over. */
export const lateMs = { least: 2_000, most: 10_000 };

/** Does a POST to this path create a resource? */
export function makes(path: string): boolean {
  return making.test(path);
}

/** Is this the path of a resource that has many parts, such as a batch? */
export function isBatch(path: string): boolean {
  return /^\/api\/v1\/(renders\/batch|colorway-batches|jobs)\/[^/]+$/.test(path);
}

export class Young {
  readonly #dice: Dice;
  /** Time from which each id is visible. Ids that are not in the map are visible. */
  readonly #thereAt = new Map<string, number>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Notes the ids that a request to this path has created. */
  made(path: string, answer: unknown, nowMs: number): void {
    if (!makes(path)) return;
    for (const id of idsBelow(answer)) this.#meet(id, nowMs);
  }

  /** Does the path name a resource that is not visible yet? */
  inPath(path: string, nowMs: number): boolean {
    return path.split('/').some((part) => this.#isYoung(part, nowMs));
  }

  /** Does the request body name a resource that is not visible yet? */
  inBody(body: unknown, nowMs: number): boolean {
    return textsBelow(body).some((text) => this.#isYoung(text, nowMs));
  }

  /** Notes ids that a list or batch shows for the first time, if no call names them on creation. */
  seen(path: string, answer: unknown, nowMs: number): void {
    if (!(grown.test(path) || isBatch(path)) || !isObject(answer)) return;
    for (const item of Object.values(answer).flat()) {
      if (isObject(item) && typeof item['id'] === 'string') this.#meet(item['id'], nowMs);
    }
  }

  /** The body of a list response without the items that are not visible yet. */
  without(answer: unknown, nowMs: number): unknown {
    if (!isObject(answer)) return answer;
    let removed = 0;
    const kept = Object.entries(answer).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value];
      const there = value.filter((item) => !this.#isYoungItem(item, nowMs));
      removed += value.length - there.length;
      return [name, there];
    });
    const { total } = answer;
    if (removed === 0) return answer;
    const less = typeof total === 'number' ? { total: total - removed } : {};
    return { ...Object.fromEntries(kept), ...less };
  }

  #isYoungItem(item: unknown, nowMs: number): boolean {
    return isObject(item) && ownIds.some((name) => this.#isYoung(item[name], nowMs));
  }

  #meet(id: string, nowMs: number): void {
    if (this.#thereAt.has(id)) return;
    const { least, most } = lateMs;
    this.#thereAt.set(id, nowMs + this.#dice.between(least, most, 'young', this.#thereAt.size));
  }

  #isYoung(id: unknown, nowMs: number): boolean {
    return typeof id === 'string' && (this.#thereAt.get(id) ?? 0) > nowMs;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function idsBelow(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsBelow);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner !== 'string') return idsBelow(inner);
    return ownIds.some((own) => own === name) ? [inner] : [];
  });
}

function textsBelow(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsBelow);
  return isObject(value) ? Object.values(value).flatMap(textsBelow) : [];
}
