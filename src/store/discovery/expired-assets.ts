// Finds assets with results that are older than the pipeline allows. The ages are read from the record of each asset.
import { expiredRules, reusableStagesWithout } from '../../plan/freshness.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { workStages } from '../../plan/stages.ts';
import type { FreshnessRule } from '../../plan/types.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import type { AssetRecord } from '../records/records.ts';
import type { RunAsset } from '../runs/run-assets.ts';
import type { DiscoveryContext } from './known-work.ts';
import type { UnchangedAsset } from './verify.ts';

/** The rules, and the current time by the platform's clock. */
export interface Freshness {
  rules: readonly FreshnessRule[];
  nowMs: number;
}

type ExpiryContext = Pick<DiscoveryContext, 'records' | 'idRules' | 'category' | 'signal'>;

/** The unchanged assets that must be done again, each from its first expired stage. */
export async function findExpiredAssets(
  unchanged: readonly UnchangedAsset[],
  { rules, nowMs }: Freshness,
  context: ExpiryContext,
): Promise<RunAsset[]> {
  const { records, signal } = context;
  const decide = async (asset: UnchangedAsset): Promise<RunAsset[]> => {
    const record = await records.read(asset.record.name);
    if (record === null) return [];
    const expired = expiredRules(rules, record, nowMs);
    return expired.length === 0 ? [] : [assetToRefresh(asset, record, expired, context)];
  };
  return (await mapBounded(unchanged, decide, { maxConcurrent: 32, signal })).flat();
}

function assetToRefresh(
  { key, source, record: entry }: UnchangedAsset,
  record: AssetRecord,
  expired: readonly FreshnessRule[],
  { idRules, category = null }: ExpiryContext,
): RunAsset {
  const reusableStages = reusableStagesWithout(expired.map(({ stage }) => stage));
  const { earlier, sourceSha256, run } = record;
  return {
    key,
    source,
    reason: 'age',
    reusableStages,
    olderThanMs: Math.min(...expired.map(({ olderThanMs }) => olderThanMs)),
    deliveredBy: run,
    previous: [entry.name, ...entry.older],
    platformIds: reusableIdsOf(),
    ...withoutUndefined({ earlier, sourceSha256 }),
  };

  function reusableIdsOf(): PlatformIds {
    const earlierIds = idRules.afterCompletion(idRules.withoutTransient(record.platformIds));
    // If all stages are reusable, only the files are delivered again.
    if (reusableStages.length === workStages.length) return earlierIds;
    if (!reusableStages.includes('source') && source.id === undefined) return {};
    const reusableIds = idRules.reusable(earlierIds, reusableStages);
    const completedStages = idRules.completedStages(reusableIds, reusableStages);
    return completedStages.length > 0
      ? { ...reusableIds, reusableStages: completedStages }
      : idRules.uploadIds(earlierIds, category);
  }
}
