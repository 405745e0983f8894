// Checks whether pictures to redeliver still exist at the destination or on the platform. If not, they are rendered.
import type { Client } from '../../api/client.ts';
import { openConnector } from '../../connectors/index.ts';
import { isAnyFileMissing } from '../../features/delivery/existing-files.ts';
import { createConnectorResolver } from '../../features/discovery-source.ts';
import { readExistingIds } from '../../features/existing-platform-ids.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { ReusableStages } from '../../plan/stages.ts';
import type { Plan } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { listWorkByRecipe } from '../../store/records/earlier-work.ts';
import type { IdRules } from '../../store/records/id-rules.ts';
import { findReusableIds } from '../../store/runs/open-shard.ts';
import { findStartStage, type RunAsset } from '../../store/runs/run-asset.ts';
import type { App } from '../app.ts';
import { withPlatform } from '../platform-client.ts';
import type { EarlierRecords } from './earlier-records.ts';
import type { Preview } from './preview-assets.ts';

const maxInspected = 200;
/** Maximum number of assets with missing files that are checked on the platform, with one or two requests each. */
const maxPlatformChecks = 20;

export interface RedeliveryCheck {
  /** Number of assets that start at the delivery stage. */
  assets: number;
  inspected: number;
  /** Number of inspected assets of which a file is missing at its destination. */
  missing: number;
  /** Number of assets with missing files whose renders were checked on the platform. */
  askedPlatform: number;
  /** Number of assets with missing files whose renders no longer exist on the platform either. */
  lost: number;
}

/** @returns the counts (null if no asset starts at delivery) and all assets. Lost ones now start at an earlier stage */
export async function checkRedelivery(
  app: App,
  plan: Plan,
  { assets, store }: Pick<Preview, 'assets' | 'store'>,
  earlierRecords: EarlierRecords,
): Promise<{ redelivery: RedeliveryCheck | null; assets: RunAsset[] }> {
  const redeliveredAssets = assets.filter((asset) => findStartStage(asset) === 'delivery');
  if (redeliveredAssets.length === 0) return { redelivery: null, assets };
  const knownRecipes = await store.recipes.readKnown();
  const getConnector = createConnectorResolver(plan, openConnector);
  const deps = { connectors: plan.connectors, stages: plan.stages, getConnector };
  const inspectedAssets = redeliveredAssets.slice(0, maxInspected);
  const findMissing = async (asset: RunAsset) => {
    const record = await earlierRecords.read(asset);
    if (!record || !(await isAnyFileMissing(record, knownRecipes, deps))) return [];
    const work = listWorkByRecipe(record, store.idRules);
    return [{ asset, platformIds: await findReusableIds(store, work, asset.source, plan.stages) }];
  };
  const incompleteAssets = (await mapBounded(inspectedAssets, findMissing)).flat();
  const maxChecks = (await app.isPlatformSet()) ? maxPlatformChecks : 0;
  const checkedAssets = incompleteAssets.slice(0, maxChecks);
  const remainingStages = await findRemainingStages(app, plan, checkedAssets, store.idRules);
  return {
    redelivery: {
      assets: redeliveredAssets.length,
      inspected: inspectedAssets.length,
      missing: incompleteAssets.length,
      askedPlatform: checkedAssets.length,
      lost: remainingStages.size,
    },
    assets: assets.map((asset) => {
      const reusableStages = remainingStages.get(asset);
      return reusableStages ? { ...asset, reusableStages } : asset;
    }),
  };
}

/** Finds assets whose renders no longer exist on the platform, with the stages that remain valid for them. */
async function findRemainingStages(
  app: App,
  plan: Plan,
  checkedAssets: readonly { asset: RunAsset; platformIds: PlatformIds }[],
  idRules: IdRules,
): Promise<Map<RunAsset, ReusableStages>> {
  if (checkedAssets.length === 0) return new Map();
  const findLost = (client: Client) =>
    mapBounded(checkedAssets, async ({ asset, platformIds }) => {
      const readOptions = { client, options: { priority: 'interactive' } as const };
      const presentIds = await readExistingIds({ platformIds, source: asset.source }, readOptions);
      if (presentIds.reusableStages !== undefined) return [];
      const completedStages = idRules.completedStages(presentIds, platformIds.reusableStages ?? []);
      const isUploaded = completedStages.length === 0 && idRules.isUploaded(presentIds);
      return [[asset, isUploaded ? (['source'] as const) : completedStages] as const];
    });
  return new Map((await withPlatform(app, findLost, plan.operations)).flat());
}
