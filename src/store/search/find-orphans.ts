// Finds things of the platform that the runs of a pipeline have made and nothing uses any more.
//
// The order of looks is what makes it safe beside runs: first what was made, then which runs are under way, then
// who uses it. A run that ended before the second look has written what it uses before the third.

import { rankOf } from '../../api/things.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Refs } from '../../plan/refs.ts';
import { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, pipelineSlug } from '../objects/object-name.ts';
import { modelKeyOf } from '../records/asset-names.ts';
import { thingsOf } from '../records/platform-things.ts';
import type { AssetRecord } from '../records/records.ts';
import { readRunFolders } from '../runs/run-folders.ts';
import type { InUse } from './in-use.ts';
import { type Made, MadeThings, type UserOfThings } from './made-things.ts';
import { foldersOf, markUsed, type OwnUse } from './users-of-things.ts';

const readsAtOnce = 32;

/**
 * `abandoned`: its upload came to nothing, so another was made. `replaced`: the asset has another one now.
 * `unused`: the asset has none of its kind now. `undelivered`: the asset has neither record nor claim.
 * `removed`: its colorway is made no more.
 */
export type OrphanReason = 'abandoned' | 'replaced' | 'unused' | 'undelivered' | 'removed';

export interface Orphan extends PlatformThing {
  /** Asset that it was made for. */
  key: string;
  /** Run that made it, or got it again last. */
  run: string;
  /** ISO 8601. */
  madeAt: string;
  reason: OrphanReason;
}

export interface OrphanSearchInput {
  pipeline: string;
  /** Where pipelines keep records; the first is this one's own. */
  places: readonly [Connector, ...Connector[]];
  /** Ids of all runs that have not ended, asked once calls have been read. */
  openRuns: () => Promise<ReadonlySet<string>>;
  signal: AbortSignal;
  /** Told how many calls have been read. */
  onProgress: (read: number) => void;
  /** Things that the file of the pipeline would use again; absent: all that its records name. */
  inUse?: InUse;
  /** Things made for colorways that are no more are orphans too. */
  takesRemoved?: boolean;
}

export interface OrphanSearchResult {
  /** By kind, oldest first. */
  orphans: Orphan[];
  /** Records of colorways that the file makes no more. */
  removed: AssetRecord[];
  /** Places that are not there; what pipelines keep in them is not known. */
  absent: string[];
  /** Counts of what was looked through. */
  runs: number;
  calls: number;
  made: number;
  /** Who uses what is no orphan. */
  usedBy: UserOfThings[];
}

export async function findOrphans(input: OrphanSearchInput): Promise<OrphanSearchResult> {
  const { pipeline, places, signal, onProgress } = input;
  const [home] = places;
  const base = `.renderline/${pipelineSlug(pipeline)}`;
  const objects = new JsonObjects(home, base);
  const runs = await readRunFolders(objects, { atOnce: readsAtOnce, signal });
  const things = new MadeThings();
  let calls = 0;
  const onRead = () => onProgress(++calls);
  for (const run of runs) await things.read(home, base, run, { signal, onRead });
  const looked = { runs: runs.length, calls, made: things.size };
  if (things.size === 0) return { orphans: [], removed: [], absent: [], usedBy: [], ...looked };

  const openRuns = await input.openRuns();
  things.useAllOfRuns(openRuns);
  const standings = new Standings();
  const removed: AssetRecord[] = [];
  const ownUse: OwnUse = {
    tell: (key, refs) => standings.tell(key, refs),
    usedOf(record) {
      const isRemoved = input.inUse?.isRemoved(record) === true;
      if (isRemoved) removed.push(record);
      return isRemoved && input.takesRemoved ? null : (input.inUse?.used(record) ?? record);
    },
  };
  const absent: string[] = [];
  for (const connector of places) {
    const folders = await foldersOf(connector, signal);
    if (folders === null) absent.push(connector.describe());
    for (const folder of folders ?? []) {
      const own = connector === home && folder === base ? { own: ownUse } : {};
      await markUsed({ connector, folder, things, openRuns, signal, ...own });
    }
  }
  const gone = new Set(removed.flatMap((record) => [record.key, modelKeyOf(record)]));
  const orphans = things
    .unused()
    .map((made) => orphanOf(made, standings, gone))
    .sort(byKindAndAge);
  removed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { orphans, removed, absent, usedBy: things.users, ...looked };
}

/** Kinds of things that each asset with a claim or a record has, as bits, since there may be very many. */
class Standings {
  readonly #kinds = new Map<string, number>();

  knows(key: string): boolean {
    return this.#kinds.has(encodeKey(key));
  }

  has(key: string, kind: PlatformThing['kind']): boolean {
    return ((this.#kinds.get(encodeKey(key)) ?? 0) & bitOf(kind)) !== 0;
  }

  /** @param key encoded */
  tell(key: string, refs: Refs): void {
    const bits = thingsOf({ refs }).reduce((sum, { kind }) => sum | bitOf(kind), 0);
    this.#kinds.set(key, (this.#kinds.get(key) ?? 0) | bits);
  }
}

function bitOf(kind: PlatformThing['kind']): number {
  return 1 << rankOf(kind);
}

function orphanOf(made: Made, standings: Standings, gone: ReadonlySet<string>): Orphan {
  const { kind, id, key, madeAt, runs } = made;
  return { kind, id, key, run: runs[0] ?? '', madeAt, reason: reasonOf(made, standings, gone) };
}

function reasonOf(
  { key, kind, isAbandoned }: Made,
  standings: Standings,
  gone: ReadonlySet<string>,
): OrphanReason {
  if (isAbandoned) return 'abandoned';
  if (!standings.knows(key) && gone.has(key)) return 'removed';
  if (!standings.knows(key)) return 'undelivered';
  return standings.has(key, kind) ? 'replaced' : 'unused';
}

function byKindAndAge(a: Orphan, b: Orphan): number {
  if (a.kind !== b.kind) return rankOf(a.kind) - rankOf(b.kind);
  if (a.madeAt !== b.madeAt) return a.madeAt < b.madeAt ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}
