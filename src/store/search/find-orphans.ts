// Finds platform resources that the runs of a pipeline have created and that nothing uses any more.
//
// The search takes three steps, in an order that makes it safe while runs are open. First it reads which resources were
// created, then which runs are open, and finally who uses the resources. A run that closed before the second step has
// written what it uses before the third.

import { deletionRankOf } from '../../api/resources.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, pipelineSlugOf } from '../objects/object-name.ts';
import { modelKeyOf } from '../records/cell-keys.ts';
import { resourcesOf } from '../records/platform-resources.ts';
import type { AssetRecord } from '../records/records.ts';
import { readRunFolders } from '../runs/run-folders.ts';
import { CreatedResources, type ResourceUser, type TrackedResource } from './created-resources.ts';
import type { RecordUsage } from './record-usage.ts';
import {
  listPipelineFolders,
  markResourcesInUse,
  type OwnPipelineHooks,
} from './resource-users.ts';

const maxConcurrentReads = 32;

/**
 * `abandoned`: another resource was created instead. `replaced`: the asset now has another resource of this kind.
 * `unused`: the asset now has no resource of this kind. `undelivered`: the asset has neither a record nor a claim.
 * `removed`: the asset's cell is no longer in the grid.
 */
export type OrphanReason = 'abandoned' | 'replaced' | 'unused' | 'undelivered' | 'removed';

export interface Orphan extends PlatformResource {
  /** Key of the asset that the resource was created for, or the key that its cells share. */
  key: string;
  /** The newest run whose call returned the resource. */
  run: string;
  /** Time in ISO 8601 format. */
  createdAt: string;
  reason: OrphanReason;
}

export interface OrphanSearchInput {
  pipeline: string;
  /** All connectors with records. The first one has the records of this pipeline. */
  connectors: readonly [Connector, ...Connector[]];
  /** Ids of all open runs. Called after the calls have been read. */
  openRuns: () => Promise<ReadonlySet<string>>;
  signal: AbortSignal;
  /** Called after each recorded platform call is read, with the number read so far. */
  onProgress: (read: number) => void;
  /** Decides which recorded resources the pipeline file could use again. Absent means all of them. */
  usage?: RecordUsage;
  /** True if resources of removed cells count as orphans, too. */
  includesRemoved?: boolean;
}

export interface OrphanSearchResult {
  /** Orphans sorted by kind, then oldest first. */
  orphans: Orphan[];
  /** Records of cells that the pipeline file no longer has. */
  removed: AssetRecord[];
  /** Connectors whose location does not exist, so that their records are not known. */
  missing: string[];
  /** Numbers of runs and calls that were read, and of resources that the calls created. */
  runs: number;
  calls: number;
  created: number;
  usedBy: ResourceUser[];
}

export async function findOrphans(input: OrphanSearchInput): Promise<OrphanSearchResult> {
  const { pipeline, connectors, signal, onProgress } = input;
  const [ownConnector] = connectors;
  const base = `.renderline/${pipelineSlugOf(pipeline)}`;
  const objects = new JsonObjects(ownConnector, base);
  const runs = await readRunFolders(objects, { maxConcurrent: maxConcurrentReads, signal });
  const resources = new CreatedResources();
  let calls = 0;
  const onRead = () => onProgress(++calls);
  for (const run of runs) await resources.read(ownConnector, base, run, { signal, onRead });
  const counts = { runs: runs.length, calls, created: resources.size };
  if (resources.size === 0) return { orphans: [], removed: [], missing: [], usedBy: [], ...counts };

  const openRuns = await input.openRuns();
  resources.markAllUsedByRuns(openRuns);
  const kindsByAsset = new KindsByAsset();
  const removed: AssetRecord[] = [];
  const ownUse: OwnPipelineHooks = {
    onEntry: (key, platformIds) => kindsByAsset.add(key, platformIds),
    usedPartOf(record) {
      const isRemoved = input.usage?.isRemoved(record) === true;
      if (isRemoved) removed.push(record);
      return isRemoved && input.includesRemoved ? null : (input.usage?.used(record) ?? record);
    },
  };
  const missing: string[] = [];
  for (const connector of connectors) {
    const folders = await listPipelineFolders(connector, signal);
    if (folders === null) missing.push(connector.describe());
    for (const folder of folders ?? []) {
      const ownHooks = connector === ownConnector && folder === base ? { ownHooks: ownUse } : {};
      await markResourcesInUse({ connector, folder, resources, openRuns, signal, ...ownHooks });
    }
  }
  const removedKeys = new Set(removed.flatMap((record) => [record.key, modelKeyOf(record)]));
  const orphans = resources
    .unused()
    .map((resource) => toOrphan(resource, kindsByAsset, removedKeys))
    .sort(compareByKindAndAge);
  removed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { orphans, removed, missing, usedBy: resources.users, ...counts };
}

/** The kinds of resources that each recorded or claimed asset has, as bits, since there may be very many assets. */
class KindsByAsset {
  readonly #kinds = new Map<string, number>();

  hasAsset(key: string): boolean {
    return this.#kinds.has(encodeKey(key));
  }

  has(key: string, kind: PlatformResource['kind']): boolean {
    return ((this.#kinds.get(encodeKey(key)) ?? 0) & bitOf(kind)) !== 0;
  }

  /** @param key encoded */
  add(key: string, platformIds: PlatformIds): void {
    const bits = resourcesOf({ platformIds }).reduce((sum, { kind }) => sum | bitOf(kind), 0);
    this.#kinds.set(key, (this.#kinds.get(key) ?? 0) | bits);
  }
}

function bitOf(kind: PlatformResource['kind']): number {
  return 1 << deletionRankOf(kind);
}

function toOrphan(
  resource: TrackedResource,
  kindsByAsset: KindsByAsset,
  removedKeys: ReadonlySet<string>,
): Orphan {
  const { kind, id, key, createdAt, runs } = resource;
  const reason = findReason(resource, kindsByAsset, removedKeys);
  return { kind, id, key, run: runs[0] ?? '', createdAt, reason };
}

function findReason(
  { key, kind, isAbandoned }: TrackedResource,
  kindsByAsset: KindsByAsset,
  removedKeys: ReadonlySet<string>,
): OrphanReason {
  if (isAbandoned) return 'abandoned';
  if (!kindsByAsset.hasAsset(key) && removedKeys.has(key)) return 'removed';
  if (!kindsByAsset.hasAsset(key)) return 'undelivered';
  return kindsByAsset.has(key, kind) ? 'replaced' : 'unused';
}

function compareByKindAndAge(a: Orphan, b: Orphan): number {
  if (a.kind !== b.kind) return deletionRankOf(a.kind) - deletionRankOf(b.kind);
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}
