// Finds assets with results that are older than the pipeline allows. The ages are read from the record of each asset.
import { findExpiredRules, reusableStagesBefore } from '../../plan/freshness.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
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

/** Finds the unchanged assets that must be done again, each from its first expired stage. */
export async function findExpiredAssets(
  unchanged: readonly UnchangedAsset[],
  { rules, nowMs }: Freshness,
  context: ExpiryContext,
): Promise<RunAsset[]> {
  const { records, signal } = context;
  const decide = async (asset: UnchangedAsset): Promise<RunAsset[]> => {
    const record = await records.read(asset.record.name);
    if (record === null) return [];
    const expiredRules = findExpiredRules(rules, record, nowMs);
    return expiredRules.length === 0
      ? []
      : [toRefreshedAsset(asset, record, expiredRules, context)];
  };
  return (await mapBounded(unchanged, decide, { maxConcurrent: 32, signal })).flat();
}

function toRefreshedAsset(
  { key, source, record: entry }: UnchangedAsset,
  record: AssetRecord,
  expiredRules: readonly FreshnessRule[],
  { idRules, category = null }: ExpiryContext,
): RunAsset {
  const reusableStages = reusableStagesBefore(expiredRules.map(({ stage }) => stage));
  const { earlier, sourceSha256, run } = record;
  return {
    key,
    source,
    reason: 'age',
    reusableStages,
    olderThanMs: Math.min(...expiredRules.map(({ olderThanMs }) => olderThanMs)),
    deliveredBy: run,
    previous: [entry.name, ...entry.older],
    platformIds: reusableIdsOf(),
    ...omitUndefined({ earlier, sourceSha256 }),
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
