// Starts production file exports. There is one export per asset, for its chosen variants or for all variants.
import type { ProductionOptions } from '../../api/operations/production.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import type { BodyOf } from '../../engine/submit/creation.ts';
import { type EarlierCalls, finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { splitCall } from '../../engine/submit/split-call.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { fail } from '../../failures/fail.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { variantFailures } from '../variants/failures.ts';
import { readVariants } from '../variants/variant-list.ts';
import { productionFileCreation } from './creations.ts';
import { productionFailures } from './failures.ts';
import type { SheetRef } from './platform-ids.ts';

type Options = BodyOf<'exportProductionFile'>['options'];

/** Maximum number of variants that the platform accepts for one production file. */
export const maxVariants = 50;

export async function exportSheets(
  { production }: { production?: ProductionOptions | undefined },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const options: Options = omitUndefined(production ?? {});
  const earlierCalls = await finishEarlierCalls(assets, [productionFileCreation], context);
  const results = await mapBounded(
    assets,
    async (asset): Promise<AssetResult[]> => {
      if (asset.platformIds.sheet) return [{ key: asset.key, outcome: 'done' }];
      const createdIds = earlierCalls.platformIds[asset.key];
      if (createdIds) return [toResult(asset, createdIds)];
      const send = () => exportSheet(asset, options, earlierCalls, context);
      return splitCall([asset], send, context, ['variants']);
    },
    { signal: context.signal },
  );
  return results.flat();
}

async function exportSheet(
  asset: StepAsset,
  options: Options,
  { ambiguousSince }: EarlierCalls,
  context: NodeContext,
): Promise<AssetResult[]> {
  const variantIds = await readVariantIds(asset, context);
  if (!Array.isArray(variantIds)) return [variantIds];
  const { platformIds } = await submitOnce(
    {
      creation: productionFileCreation,
      params: { modelId: asset.platformIds.modelId ?? '' },
      body: { variantIds, options },
      assets: [asset],
      ambiguousSince: ambiguousSince([asset]),
      purpose: 'sheet',
    },
    context,
  );
  return [toResult(asset, platformIds[asset.key] ?? {})];
}

async function readVariantIds(
  asset: StepAsset,
  context: NodeContext,
): Promise<string[] | AssetResult> {
  if (asset.platformIds.variants) return asset.platformIds.variants;
  const variants = await readVariants(asset, context);
  if (!Array.isArray(variants)) return variants;
  const { key } = asset;
  if (variants.length === 0) {
    const message = 'its model has no variant that a production file could show';
    return fail(variantFailures.VARIANT_NOT_FOUND, key, message);
  }
  if (variants.length > maxVariants) {
    const message = `its model has ${variants.length} variants, but a production file shows at most ${maxVariants}; choose fewer in a variant node`;
    return fail(variantFailures.TOO_MANY_VARIANTS, key, message);
  }
  return variants.map(({ id }) => id);
}

function toResult({ key }: StepAsset, platformIds: PlatformIds): AssetResult {
  const { sheet } = platformIds;
  if (sheet?.failure === undefined) return { key, outcome: 'done', platformIds };
  return sheetFailure(key, sheet);
}

/** Fails an asset whose export failed. The next run starts another export. */
export function sheetFailure(key: string, { failure }: Pick<SheetRef, 'failure'>): AssetResult {
  const message = failure || 'the production file export failed; the platform gives no reason';
  return fail(productionFailures.PRODUCTION_FAILED, key, message, { forgetIds: ['sheet'] });
}
