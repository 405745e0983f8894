// Finds platform resources that the runs of a pipeline have created and that nothing uses any more.
//
// The order of the three steps makes this safe while runs are open: first which resources were created, then which runs are
// open, then who uses the resources. A run that closed before the second step has written what it uses before the third.

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
 * `abandoned`: the upload failed, and another resource was created. `replaced`: the asset has another one now. `unused`:
 * the asset has none of this kind now. `undelivered`: the asset has neither a record nor a claim. `removed`: the colorway
 * no longer exists.
 */
export type OrphanReason = 'abandoned' | 'replaced' | 'unused' | 'undelivered' | 'removed';

export interface Orphan extends PlatformThing {
  /** The asset that the resource was created for. */
  key: string;
  /** The run that created the resource, or was the last to receive it. */
  run: string;
  /** ISO 8601. */
  madeAt: string;
  reason: OrphanReason;
}

export interface OrphanSearchInput {
  pipeline: string;
  /** All places with records; the first one has the records of this pipeline. */
  places: readonly [Connector, ...Connector[]];
  /** Ids of all open runs; called after the calls have been read. */
  openRuns: () => Promise<ReadonlySet<string>>;
  signal: AbortSignal;
  /** Called with the number of calls that have been read. */
  onProgress: (read: number) => void;
  /** Decides which recorded resources the pipeline file could use again; absent: all of them. */
  inUse?: InUse;
  /** Resources of removed colorways count as orphans, too. */
  takesRemoved?: boolean;
}

export interface OrphanSearchResult {
  /** By kind, oldest first. */
  orphans: Orphan[];
  /** Records of colorways that the file no longer has. */
  removed: AssetRecord[];
  /** Places that do not exist, so that their records are not known. */
  absent: string[];
  /** Numbers of what was searched. */
  runs: number;
  calls: number;
  made: number;
  /** Who uses the other resources. */
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

/** The kinds of resources that each recorded or claimed asset has, as bits, since there may be very many assets. */
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
