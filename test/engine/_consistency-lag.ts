// Delays the visibility of new resources. Until then, reads, lists and calls do not find a new resource.
import type { OperationId } from '../../src/api/operations/index.ts';
import type { AlteredPlatform } from './_altered-platform.ts';

const idFields = [
  'id',
  'modelId',
  'projectId',
  'jobId',
  'batchId',
  'propId',
  'decalId',
  'materialId',
];
const creations = /^(create|export|retry)/;
const absent = { error: { code: 'NOT_FOUND', message: 'there is no such thing' } };

export interface LagObservations {
  /** Ids that were requested before they were visible. */
  readTooEarly: Set<string>;
  /** Created ids by operation, one entry per call; a repeated entry is a replayed response. */
  created: Map<OperationId, Set<string>>;
}

/** @param lagMs delay by the clock of the run @param made ids created by operation */
export function addConsistencyLag(
  platform: AlteredPlatform,
  lagMs: number,
  made = creations,
): LagObservations {
  const shownFromMs = new Map<string, number>();
  const seen: LagObservations = { readTooEarly: new Set(), created: new Map() };
  const isHidden = (id: string) => (shownFromMs.get(id) ?? 0) > platform.run.nowMs;
  const hiddenIn = (text: string) =>
    [...shownFromMs.keys()].find((id) => isHidden(id) && text.includes(id));

  platform.replaceResponse = (request, sent) => {
    if (request.includes('/status')) return null;
    const id = hiddenIn(`${request} ${sent}`);
    if (id === undefined) return null;
    seen.readTooEarly.add(id);
    return { status: 404, body: absent };
  };
  platform.alterResponse = (operation, body) => {
    if (made.test(operation)) {
      const ids = idsIn(body);
      seen.created.set(operation, (seen.created.get(operation) ?? new Set()).add(ids.join()));
      for (const id of ids) {
        if (!shownFromMs.has(id)) shownFromMs.set(id, platform.run.nowMs + lagMs);
      }
      return undefined;
    }
    return withoutHidden(body, isHidden);
  };
  return seen;
}

function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) =>
    typeof part === 'string' && idFields.includes(name) ? [part] : idsIn(part),
  );
}

/** Removes items with hidden ids from lists; status responses report them as not found. */
function withoutHidden(body: unknown, isHidden: (id: string) => boolean): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  const missing: string[] = [];
  const entries = Object.entries(body).map(([name, part]: [string, unknown]) => {
    if (!Array.isArray(part) || name === 'notFound') return [name, part];
    return [
      name,
      part.filter((item: unknown) => {
        const hidden = ownIdsOf(item).find(isHidden);
        if (hidden !== undefined) missing.push(hidden);
        return hidden === undefined;
      }),
    ];
  });
  const changed = Object.fromEntries(entries) as { notFound?: string[] };
  if (Array.isArray(changed.notFound)) changed.notFound.push(...missing);
  return changed;
}

/** The ids of an item itself: its first id field. */
function ownIdsOf(item: unknown): string[] {
  if (typeof item !== 'object' || item === null) return [];
  return Object.entries(item).flatMap(([name, part]: [string, unknown]) =>
    typeof part === 'string' && idFields.includes(name) ? [part] : [],
  );
}
