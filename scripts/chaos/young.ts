// A platform that is consistent in the end only: what was made a moment ago is not there yet for everybody.
import type { Dice } from './dice.ts';

/** Fields of answers that name what a call has made. */
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
/** Calls that make things which later requests name. */
const making =
  /^\/api\/v1\/(models|jobs|projects|renders|colorway-batches|props|decals|materials|models\/[^/]+\/production-files\/export)$/;
/** Lists whose items no call names when it makes them: they count as made when they are first seen. */
const grown = /^\/api\/v1\/(renders|models\/[^/]+\/(variants|production-files))$/;

/** Does a GET of this path answer with one render job? All that it has made is certain from there once it has ended. */
export function isJob(path: string): boolean {
  return /^\/api\/v1\/renders\/[^/]+$/.test(path);
}

/** Long enough that those who wait for work look before it is over. */
export const lateMs = { least: 2_000, most: 10_000 };

/** Does a POST to this path make something? */
export function makes(path: string): boolean {
  return making.test(path);
}

/** Does a GET of this path answer with one thing that has many parts? */
export function isBatch(path: string): boolean {
  return /^\/api\/v1\/(renders\/batch|colorway-batches|jobs)\/[^/]+$/.test(path);
}

export class Young {
  readonly #dice: Dice;
  /** When an id begins to be there for everybody, by id; those of requests are there already. */
  readonly #thereAt = new Map<string, number>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Takes the ids of what a request of this path has made. */
  made(path: string, answer: unknown, nowMs: number): void {
    if (!makes(path)) return;
    for (const id of idsBelow(answer)) this.#meet(id, nowMs);
  }

  /** Does the path name something young? */
  inPath(path: string, nowMs: number): boolean {
    return path.split('/').some((part) => this.#isYoung(part, nowMs));
  }

  /** Does the body of a request name something young? */
  inBody(body: unknown, nowMs: number): boolean {
    return textsBelow(body).some((text) => this.#isYoung(text, nowMs));
  }

  /** Takes the ids that a list or a batch shows for the first time, where no call names them. */
  seen(path: string, answer: unknown, nowMs: number): void {
    if (!(grown.test(path) || isBatch(path)) || !isObject(answer)) return;
    for (const item of Object.values(answer).flat()) {
      if (isObject(item) && typeof item['id'] === 'string') this.#meet(item['id'], nowMs);
    }
  }

  /** A list's answer without the items that are young. */
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
