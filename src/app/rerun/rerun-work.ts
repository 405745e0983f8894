// Computes which assets a rerun processes and what it reuses. Pure.
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { ReusableStages } from '../../plan/stages.ts';
import type { AssetSource, Failure } from '../../plan/types.ts';
import type { DiscoveredAssets } from '../../store/discovery/discover.ts';
import type { UnfinishedAsset } from '../../store/discovery/unfinished-assets.ts';

export interface UnfinishedGroup {
  outcome: UnfinishedAsset['outcome'];
  /** Failure code. Empty if the assets did not fail. */
  code: string;
  node: string;
  count: number;
  keys: string[];
}

/** Results of the earlier run that are reused. Each field is a number of assets. */
export interface Reuse {
  models: number;
  projects: number;
  renders: number;
  items: number;
}

export interface RerunWork {
  groups: UnfinishedGroup[];
  assets: number;
  /** Number of rerun assets whose source has changed since. They start from the first step. */
  changed: number;
  /** Number of assets that another run has delivered since. */
  delivered: number;
  later: number;
  refused: Failure[];
  reuse: Reuse;
}

/**
 * @param discovery the current sources
 * @param reusableStagesOf the stages of the earlier run that the plan can reuse for a source
 */
export function computeRerunWork(
  unfinished: readonly UnfinishedAsset[],
  discovery: Pick<DiscoveredAssets, 'assets' | 'counts' | 'later' | 'refused'>,
  reusableStagesOf: (source: AssetSource) => ReusableStages,
): RerunWork {
  const unfinishedByKey = new Map(unfinished.map((asset) => [asset.key, asset]));
  const reuse: Reuse = { models: 0, projects: 0, renders: 0, items: 0 };
  let changed = 0;
  for (const { key, source } of discovery.assets) {
    const unfinishedAsset = unfinishedByKey.get(key);
    if (!unfinishedAsset?.asset) continue;
    if (unfinishedAsset.asset.source.version !== source.version) changed += 1;
    else addReuse(reuse, unfinishedAsset.platformIds, reusableStagesOf(source));
  }
  return {
    groups: groupUnfinished(unfinished),
    assets: discovery.assets.length,
    changed,
    delivered: discovery.counts.unchanged,
    later: discovery.later.length,
    refused: discovery.refused,
    reuse,
  };
}

function addReuse(reuse: Reuse, platformIds: PlatformIds, stages: ReusableStages): void {
  if (platformIds.modelId !== undefined) reuse.models += 1;
  if ((platformIds.propId ?? platformIds.decalId ?? platformIds.materialId) !== undefined)
    reuse.items += 1;
  if (stages.includes('composition') && platformIds.projectId !== undefined) reuse.projects += 1;
  if (!stages.includes('render')) return;
  if (platformIds.jobId !== undefined && platformIds.failedJob !== true) reuse.renders += 1;
}

/** Groups the assets by outcome, failure code and node. The largest group comes first. */
function groupUnfinished(unfinished: readonly UnfinishedAsset[]): UnfinishedGroup[] {
  const groups = new Map<string, UnfinishedGroup>();
  for (const { key, outcome, failure } of unfinished) {
    const { code, node } = failure ?? { code: '', node: '' };
    const groupKey = JSON.stringify([outcome, code, node]);
    const group = groups.get(groupKey) ?? { outcome, code, node, count: 0, keys: [] };
    group.count += 1;
    group.keys.push(key);
    groups.set(groupKey, group);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
