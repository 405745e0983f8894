// Objects that the runs with records at one connector have created on the platform, according to their calls. An event
// trigger merges the objects of all connectors, because it must not start a run for any of them.

import { findCreatedResource } from '../../api/resources.ts';
import { parseJson } from '../../api/responses/bounded-json.ts';
import { asRecord } from '../../api/unknown-values.ts';
import type { Connector } from '../../connectors/connector.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { memoizeByObject } from '../../plan/helpers/memoize.ts';
import { isMissingError } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { type Intent, readIntentAt } from './intents.ts';

/** Ids of one kind, each with the id of the object that contains it. The latter is null if unknown. */
type CreatedIds = ReadonlyMap<string, string | null>;

export interface OwnObjects {
  readonly idsByKind: ReadonlyMap<string, CreatedIds>;
  /** Start of the oldest call that may still be in flight, epoch ms. Null if there is none. */
  readonly openSinceMs: number | null;
}

export function isOwnObject({ idsByKind }: OwnObjects, kind: string, id: string): boolean {
  return idsByKind.get(kind)?.has(id) === true;
}

interface OwnResource {
  kind: string;
  id: string;
  in: string | null;
}

/** Age in ms above which calls are ignored, because the events about them arrived long ago. */
export const ownObjectsLookbackMs = 7 * 24 * 3_600_000;
/** A call without a response for this long is not in flight, because its run has closed or waits for a person. */
const maxOpenMs = 10 * 60_000;
const intentPath = /^\.renderline\/[^/]+\/runs\/[^/]+\/intents\//;

/** Resources of closed calls by path, so that each process reads a closed call once. */
const finishedCallsAt = memoizeByObject(
  (_connector: Connector) => new Map<string, readonly OwnResource[]>(),
);

/** @throws ConnectorError if the records cannot be read, since it is then unknown which objects are ours */
export async function readOwnObjects(
  connector: Connector,
  signal: AbortSignal,
  nowMs: number,
): Promise<OwnObjects> {
  const resourcesByPath = finishedCallsAt(connector);
  const paths = await listRecentIntents(connector, signal, nowMs);
  const startTimesMs: number[] = [];
  const resourceLists = await mapBounded(paths, async (path) => {
    const cachedResources = resourcesByPath.get(path);
    if (cachedResources) return cachedResources;
    const intent = await readIntentAt(connector, path);
    if (intent?.state === 'open') startTimesMs.push(Date.parse(intent.createdAt));
    if (!intent || intent.state === 'open') return [];
    const resources = intent.state === 'done' ? resourcesOf(intent) : [];
    resourcesByPath.set(path, resources);
    return resources;
  });
  const current = new Set(paths);
  for (const path of resourcesByPath.keys()) if (!current.has(path)) resourcesByPath.delete(path);
  return {
    idsByKind: groupByKind(resourceLists.flat()),
    openSinceMs: findOpenSince(startTimesMs, nowMs),
  };
}

/** Returns the earliest start of the calls that may still be in flight, or null if there are none. */
function findOpenSince(startTimesMs: readonly number[], nowMs: number): number | null {
  const inFlight = startTimesMs.filter((startAtMs) => nowMs - startAtMs < maxOpenMs);
  return inFlight.length === 0 ? null : Math.min(...inFlight);
}

/** Lists the paths of intents that are new enough, or of unknown age. Empty if no run has created the folder yet. */
async function listRecentIntents(
  connector: Connector,
  signal: AbortSignal,
  nowMs: number,
): Promise<string[]> {
  const paths: string[] = [];
  const accept = (path: string) => intentPath.test(path);
  try {
    for await (const { path, mtimeMs } of connector.list('.renderline', { signal, accept })) {
      if (mtimeMs === 0 || nowMs - mtimeMs < ownObjectsLookbackMs) paths.push(path);
    }
  } catch (error) {
    if (!isMissingError(error)) throw error;
  }
  return paths;
}

function resourcesOf({ operation, assets, result = {}, bodyText }: Intent): OwnResource[] {
  const making = findCreatedResource(operation);
  if (making === null || making === undefined) return [];
  const body = making.in === undefined ? {} : asRecord(parseJson(bodyText));
  const parents = body[making.in ?? ''];
  return assets.flatMap((key, index) => {
    const id = new Map<string, unknown>(Object.entries(result[key] ?? {})).get(making.idField);
    const parent: unknown = Array.isArray(parents) ? parents[index] : null;
    if (typeof id !== 'string') return [];
    return { kind: making.kind, id, in: typeof parent === 'string' ? parent : null };
  });
}

/**
 * Merges the objects that the runs of several records connectors have created. Some of the connectors may have been
 * read long ago, so calls that began more than `maxOpenMs` ago no longer count as in flight.
 */
export function mergeOwnObjects(parts: readonly OwnObjects[], nowMs: number): OwnObjects {
  const idsByKind = new Map<string, Map<string, string | null>>();
  for (const [kind, ids] of parts.flatMap((part) => [...part.idsByKind])) {
    idsByKind.set(kind, new Map([...(idsByKind.get(kind) ?? []), ...ids]));
  }
  const startedAtMs = parts.flatMap(({ openSinceMs }) => openSinceMs ?? []);
  return { idsByKind, openSinceMs: findOpenSince(startedAtMs, nowMs) };
}

function groupByKind(resources: readonly OwnResource[]): OwnObjects['idsByKind'] {
  const idsByKind = new Map<string, Map<string, string | null>>();
  for (const [kind, group] of groupBy(resources, (resource) => resource.kind))
    idsByKind.set(kind, new Map(group.map((resource) => [resource.id, resource.in])));
  return idsByKind;
}
