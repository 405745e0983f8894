// Creates colorway batches: records existing variants, creates one batch for many models, and retries failed jobs.

import { findRefusal } from '../../api/errors/refusal.ts';
import { spellingsOf } from '../../api/requests/name-comparison.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import type { BodyOf } from '../../engine/submit/creation.ts';
import { type EarlierCalls, finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { splitCall } from '../../engine/submit/split-call.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { fail } from '../../failures/fail.ts';
import { findPosition } from '../../plan/grid.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { cellRecipeOf } from '../../store/records/asset-recipe.ts';
import { findSwapRules, type SwapRule } from '../slots/swap-rule.ts';
import { colorwayBatchCreation, colorwayRetry } from './creations.ts';
import { variantFailures } from './failures.ts';
import { findExistingVariants, runPerModel } from './grid/choose-colorways.ts';
import { resolveMaterials } from './material-name-resolver.ts';
import { formatOperationLocation } from './operation-location.ts';
import { fingerprintsOf, maxVariants } from './variant-fingerprints.ts';
import { readVariants, toVariantIds } from './variant-list.ts';

type SwapRules = BodyOf<'createColorwayBatch'>['swapRules'];

/**
 * Records the existing variants of each model. This is a separate step, because existing and new variants cannot be
 * distinguished once the batch has been sent. If a variant already has the colorway's materials, it is reused, and no
 * batch is sent for the model.
 */
export async function recordKnownVariants(
  { swapRules = [] }: { swapRules?: readonly SwapRule[] | undefined },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const cells = assets.filter(isColorwayCell);
  const models = assets.filter((asset) => !isColorwayCell(asset));
  const ofModels = await mapBounded(
    models,
    async (asset): Promise<AssetResult> => {
      const { key, platformIds } = asset;
      // Fingerprints of an earlier run are valid only with its batch, because variants may have been added since.
      if (platformIds.colorway?.batchId !== undefined || platformIds.variants !== undefined)
        return { key, outcome: 'done' };
      const variants = await readVariants(asset, context);
      if (!Array.isArray(variants)) return variants;
      if (variants.length > maxVariants) return failTooManyVariants(key, variants);
      const variantByKey = await findExistingVariants([asset], variants, context, swapRules);
      const existingVariant = variantByKey.get(key);
      const otherVariants = variants.filter((variant) => variant !== existingVariant);
      const before = fingerprintsOf(otherVariants.map(({ id }) => id));
      const colorway = { before, ...(existingVariant ? { batchId: '' } : {}) };
      return { key, outcome: 'done', platformIds: { colorway } };
    },
    { signal: context.signal },
  );
  return [...ofModels, ...(await recordForCells(cells, context))];
}

/** Reads the variants of each model once for all its colorways. A variant that has a colorway's materials is reused. */
async function recordForCells(cells: StepAsset[], context: NodeContext): Promise<AssetResult[]> {
  const isStarted = ({ platformIds }: StepAsset) => platformIds.colorway?.batchId !== undefined;
  const startedCells = cells.filter(isStarted);
  const newCells = cells.filter((cell) => !isStarted(cell));
  const results = await runPerModel(newCells, context, async (ofModel, variants) => {
    if (variants.length > maxVariants)
      return ofModel.map(({ key }) => failTooManyVariants(key, variants));
    const fingerprints = fingerprintsOf(variants.map(({ id }) => id));
    const variantByKey = await findExistingVariants(ofModel, variants, context);
    return ofModel.map(({ key, source }) => {
      const colorway = { before: fingerprints, cell: cellRecipeOf('', source) };
      const variant = variantByKey.get(key);
      const platformIds = { colorway, ...(variant && toVariantIds([variant])) };
      return { key, outcome: 'done', platformIds };
    });
  });
  return [...startedCells.map(({ key }): AssetResult => ({ key, outcome: 'done' })), ...results];
}

function isColorwayCell({ source }: StepAsset): boolean {
  return findPosition(source, 'colorway') !== undefined;
}

function failTooManyVariants(key: string, variants: readonly unknown[]): AssetResult {
  const message = `its model has ${variants.length} variants; new variants cannot be identified in a model with more than ${maxVariants}`;
  return fail(variantFailures.TOO_MANY_VARIANTS, key, message);
}

/** Creates one batch for all models of the activity call with the same rules. Failed jobs are retried individually. */
export async function createColorways(
  config: { swapRules?: readonly SwapRule[] | undefined },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const hasFailed = ({ platformIds }: StepAsset) => platformIds.colorway?.failedJobId !== undefined;
  const newAssets = assets.filter((asset) => !hasFailed(asset));
  const earlierCalls = await finishEarlierCalls(newAssets, [colorwayBatchCreation], context);
  const results: AssetResult[] = [];
  const pendingAssets: StepAsset[] = [];
  for (const asset of newAssets) {
    const { key, platformIds } = asset;
    const createdIds = earlierCalls.platformIds[key];
    if (platformIds.colorway?.batchId !== undefined || platformIds.variants !== undefined)
      results.push({ key, outcome: 'done' });
    else if (createdIds) results.push({ key, outcome: 'done', platformIds: createdIds });
    else pendingAssets.push(asset);
  }
  const swapRulesOf = ({ source }: StepAsset) => findSwapRules(source) ?? config.swapRules ?? [];
  const groups = groupBy(pendingAssets, (asset) => JSON.stringify(swapRulesOf(asset)));
  for (const group of groups.values()) {
    const [first] = group;
    const swapRules = await resolveSwapRules(first ? swapRulesOf(first) : [], context);
    const create = (part: readonly StepAsset[]) =>
      createBatch(part, swapRules, earlierCalls, context);
    const batchResults = await splitCall(group, create, context);
    results.push(...withOperationLocation('createColorwayBatch', batchResults, context));
  }
  for (const asset of assets.filter(hasFailed)) {
    const isNamed = formatOperationLocation('retryColorwayJob', context) !== null;
    const retry = () => retryJob(asset, context);
    const retryResults = await splitCall([asset], retry, context, isNamed ? [] : ['colorway']);
    results.push(...withOperationLocation('retryColorwayJob', retryResults, context));
  }
  return results;
}

/** Resolves materials. Each rule is sent once per Unicode encoding of its text, which differs between models. */
async function resolveSwapRules(
  rules: readonly SwapRule[],
  context: NodeContext,
): Promise<SwapRules> {
  const ids = await resolveMaterials(rules, context);
  return rules.flatMap(({ matchText, matchMode }, index) =>
    spellingsOf(matchText).map((spelling) => ({
      matchText: spelling,
      matchMode,
      materialId: ids[index] ?? '',
    })),
  );
}

async function createBatch(
  assets: readonly StepAsset[],
  swapRules: SwapRules,
  { ambiguousSince }: EarlierCalls,
  context: NodeContext,
): Promise<AssetResult[]> {
  const modelIds = assets.map(({ platformIds }) => platformIds.modelId ?? '');
  const { platformIds } = await submitOnce(
    {
      creation: colorwayBatchCreation,
      body: { swapRules, modelScope: { type: 'manual', modelIds } },
      assets,
      known: mapIdsByKey(assets),
      ambiguousSince: ambiguousSince(assets),
      purpose: 'colorways',
    },
    context,
  );
  return assets.map(({ key }) => toDoneResult(key, platformIds[key]));
}

async function retryJob(asset: StepAsset, context: NodeContext): Promise<AssetResult[]> {
  const { key, platformIds } = asset;
  const { batchId = '', failedJobId = '', tries = 0 } = platformIds.colorway ?? {};
  try {
    const result = await submitOnce(
      {
        creation: colorwayRetry,
        params: { batchId, jobId: failedJobId },
        body: null,
        assets: [asset],
        known: mapIdsByKey([asset]),
        epoch: tries + 1,
        purpose: 'retry',
      },
      context,
    );
    return [toDoneResult(key, result.platformIds[key])];
  } catch (error) {
    // Any refusal of the content counts, because the error codes of colorways are not documented.
    if (!findRefusal(error, ['content'])) throw error;
    // Somebody else has probably already retried the job, so this asset waits for that attempt.
    const { failedJobId: _failed, ...colorway } = platformIds.colorway ?? { before: '' };
    return [toDoneResult(key, { colorway: { ...colorway, tries: tries + 1 } })];
  }
}

/** Adds the operation's route to messages, because a wrong route in the pipeline file may cause the refusal. */
function withOperationLocation(
  operation: string,
  results: readonly AssetResult[],
  context: NodeContext,
): AssetResult[] {
  const location = formatOperationLocation(operation, context);
  return results.map((result) => {
    if (location === null || result.outcome !== 'failed') return result;
    return { ...result, message: `${location} responded with ${result.code}: ${result.message}` };
  });
}

function mapIdsByKey(assets: readonly StepAsset[]): Record<string, PlatformIds> {
  return Object.fromEntries(
    assets.map(({ key, platformIds: { colorway } }) => [key, colorway ? { colorway } : {}]),
  );
}

function toDoneResult(key: string, platformIds: PlatformIds | undefined): AssetResult {
  return { key, outcome: 'done', ...(platformIds ? { platformIds } : {}) };
}
