// What the runs that keep records in one place have created on the platform, according to their calls. An event trigger
// must not start a run for such an object, wherever the creating run keeps its records.

import { parseJson } from '../../api/bounded-json.ts';
import { looseFields } from '../../api/loose-fields.ts';
import { makingOf } from '../../api/things.ts';
import type { Connector } from '../../connectors/connector.ts';
import { groupBy } from '../../plan/group-by.ts';
import { mapBounded } from '../objects/bounded.ts';
import { isAbsence } from '../objects/json-objects.ts';
import { type Intent, parseIntent } from './intents.ts';

/** Ids of one kind, each with the id of the object that contains it; null if unknown. */
type Made = ReadonlyMap<string, string | null>;

export interface OwnObjects {
  /** By kind. */
  readonly made: ReadonlyMap<string, Made>;
  /** Start of the oldest call that may still be in flight, epoch ms; null if there is none. */
  readonly openSinceMs: number | null;
}

export function isOwn({ made }: OwnObjects, kind: string, id: string): boolean {
  return made.get(kind)?.has(id) === true;
}

interface MadeThing {
  kind: string;
  id: string;
  in: string | null;
}

/** Events about older calls arrived long ago, ms. */
export const ownLookBackMs = 7 * 24 * 3_600_000;
/** A call without a response for this long is not in flight: its run has closed, or waits for a person. */
const openForMs = 10 * 60_000;
const intentPath = /^\.renderline\/[^/]+\/runs\/[^/]+\/intents\//;

/** Closed calls never change, so each process reads them once. */
const readBefore = new WeakMap<Connector, Map<string, readonly MadeThing[]>>();

/** @throws ConnectorError if the records cannot be read, since nobody can tell then which objects are ours */
export async function ownObjects(
  connector: Connector,
  signal: AbortSignal,
  nowMs: number,
): Promise<OwnObjects> {
  const known = readBefore.get(connector) ?? new Map<string, readonly MadeThing[]>();
  readBefore.set(connector, known);
  const paths = await recentIntents(connector, signal, nowMs);
  const begunMs: number[] = [];
  const made = await mapBounded(paths, async (path) => {
    const before = known.get(path);
    if (before) return before;
    const intent = await readIntent(connector, path);
    if (intent?.state === 'open') begunMs.push(Date.parse(intent.createdAt));
    if (!intent || intent.state === 'open') return [];
    const things = intent.state === 'done' ? toldOf(intent) : [];
    known.set(path, things);
    return things;
  });
  const current = new Set(paths);
  for (const path of known.keys()) if (!current.has(path)) known.delete(path);
  const underWay = begunMs.filter((beganMs) => nowMs - beganMs < openForMs);
  return {
    made: byKind(made.flat()),
    openSinceMs: underWay.length === 0 ? null : Math.min(...underWay),
  };
}

/** Empty if nothing was ever written: the first run creates the folder. */
async function recentIntents(
  connector: Connector,
  signal: AbortSignal,
  nowMs: number,
): Promise<string[]> {
  const paths: string[] = [];
  const accept = (path: string) => intentPath.test(path);
  try {
    for await (const { path, mtimeMs } of connector.list('.renderline', { signal, accept })) {
      if (mtimeMs === 0 || nowMs - mtimeMs < ownLookBackMs) paths.push(path);
    }
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
  return paths;
}

/**
 * null for an intent that was deleted meanwhile or is truncated.
 * @throws ConnectorError if the intent cannot be read now
 */
async function readIntent(connector: Connector, path: string): Promise<Intent | null> {
  try {
    return parseIntent((await connector.read(path)).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || isAbsence(error)) return null;
    throw error;
  }
}

function toldOf({ operation, assets, answer = {}, bodyText }: Intent): MadeThing[] {
  const making = makingOf(operation);
  if (making === null || making === undefined) return [];
  const body = making.in === undefined ? {} : looseFields(parseJson(bodyText));
  const within = body[making.in ?? ''];
  return assets.flatMap((key, index) => {
    const id = new Map<string, unknown>(Object.entries(answer[key] ?? {})).get(making.ref);
    const home: unknown = Array.isArray(within) ? within[index] : null;
    if (typeof id !== 'string') return [];
    return { kind: making.kind, id, in: typeof home === 'string' ? home : null };
  });
}

/** What the runs of several places have created. */
export function ownOfAll(places: readonly OwnObjects[]): OwnObjects {
  const made = new Map<string, Map<string, string | null>>();
  for (const [kind, some] of places.flatMap((place) => [...place.made])) {
    made.set(kind, new Map([...(made.get(kind) ?? []), ...some]));
  }
  const open = places.flatMap(({ openSinceMs }) => openSinceMs ?? []);
  return { made, openSinceMs: open.length === 0 ? null : Math.min(...open) };
}

function byKind(things: readonly MadeThing[]): OwnObjects['made'] {
  const groups = [...groupBy(things, ({ kind }) => kind)];
  return new Map(
    groups.map(([kind, some]) => [kind, new Map(some.map((one) => [one.id, one.in]))]),
  );
}
