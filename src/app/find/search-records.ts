// Searches record locations for a platform id, and reads the status of the matching assets.

import { openConnector } from '../../connectors/index.ts';
import { openRunStore } from '../../features/run-store.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { locationOf } from '../../plan/run/location.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import { type KeyStatus, KeyStatusReader } from '../../store/runs/key-status.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { type AssetSighting, findId } from '../../store/search/find-id.ts';
import { findAssetSighting } from '../../store/search/id-sightings.ts';
import { createIdMatcher } from '../../store/search/id-spelling.ts';
import type { App } from '../app.ts';
import { createProgressNote } from '../progress-note.ts';
import { type Explanation, explainError } from '../renderline-error.ts';
import type { PipelineRecords } from './record-locations.ts';

export type MatchedAsset = ReturnType<typeof toMatchedAsset>;

export interface MatchedRun {
  run: string;
  pipeline: string;
  /** Number of assets with the id. `assets` contains only the first of them. */
  count: number;
  assets: MatchedAsset[];
}

export interface SearchedRecords {
  pipeline: string;
  records: string | null;
  runs: number;
  objects: number;
  /** Number of truncated objects. */
  damaged: number;
  /** Why the location could not be read. Null if it was read. */
  problem: string | null;
}

export async function searchRecords(
  app: App,
  { pipeline, records }: PipelineRecords,
  id: string,
  isOpen: (run: string) => boolean,
): Promise<{ found: MatchedRun[]; searched: SearchedRecords; error: Explanation | null }> {
  const location = locationOf(records);
  const searched = { pipeline, records: location, runs: 0, objects: 0, damaged: 0, problem: null };
  const formatProgress = (read: number) =>
    `${pipeline} in ${location}: ${formatCount(read, 'object')} searched`;
  try {
    const connector = openConnector(records);
    const { found, ...counts } = await findId({
      connector,
      pipeline,
      id,
      isOpen,
      signal: app.signal,
      onProgress: createProgressNote(app, formatProgress),
    });
    const context = { run: 'find', lineage: 'find', pipeline, recipe: '' };
    const runs = await addKeyStatuses(pipeline, found, openRunStore(connector, context), id);
    return { found: runs, searched: { ...searched, ...counts }, error: null };
  } catch (thrown) {
    // One unreadable location must not hide the results of the others.
    const error = explainError(thrown);
    return { found: [], searched: { ...searched, problem: error.message }, error };
  }
}

async function addKeyStatuses(
  pipeline: string,
  runSightings: readonly { run: string; count: number; assets: readonly AssetSighting[] }[],
  store: RunStore,
  id: string,
): Promise<MatchedRun[]> {
  const statuses = new KeyStatusReader(store);
  const isWanted = createIdMatcher(id);
  const hasId = (asset: AssetRecord | FinalizedAsset) =>
    findAssetSighting(asset, isWanted) !== null;
  const matchedRuns: MatchedRun[] = [];
  for (const { assets, ...run } of runSightings) {
    const matches = await mapBounded(assets, async (asset) => {
      const status = await statuses.read(asset.key, asset.finalized?.source.version ?? null);
      return toMatchedAsset(asset, status, hasId);
    });
    matchedRuns.push({ ...run, assets: matches, pipeline });
  }
  return matchedRuns;
}

function toMatchedAsset(
  { key, kind, via, step, operation, shard, finalized }: AssetSighting,
  { record, claim }: KeyStatus,
  hasId: (asset: AssetRecord | FinalizedAsset) => boolean,
) {
  const { outcome = null, failure = null } = finalized ?? {};
  return {
    key,
    kind,
    via,
    // A step has the name of its node, with a suffix if the node was compiled to several steps.
    /** Node that created or used the id. Null if not recorded. */
    node: step?.split('.')[0] ?? null,
    step,
    operation,
    shard,
    /** Outcome in this run. Null while the asset is in progress. */
    outcome,
    failure: failure && { node: failure.node, code: failure.code, message: failure.message },
    /** Last delivery under the key, if any. `replaced` means that it used a different resource than this run. */
    record: record && {
      run: record.run,
      finishedAt: record.finishedAt,
      files: record.files.length,
      /** Key of the source before it was moved. Null if it was not moved. */
      movedFrom: record.moved?.key ?? null,
      replaced: finalized !== null && hasId(finalized) && !hasId(record),
    },
    /** The run that is processing the asset or has given up on it. Null if there is none. */
    claim: claim && { run: claim.run, state: claim.state },
  };
}
