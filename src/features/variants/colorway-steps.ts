// Steps that a `variant` node adds: those that create colorways, and the one that adds variants to existing projects.
import { z } from 'zod';
import { isInConsistencyWindow } from '../../engine/consistency-window.ts';
import type { Requests, StepWork } from '../../engine/cost/step-cost.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { defineStep, type StepType } from '../../engine/node-type.ts';
import { defineWait } from '../../engine/wait-results.ts';
import { fail, failMissing } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { slotFailures } from '../slots/failures.ts';
import { slotDemandOf } from '../slots/slot-demands.ts';
import { findSwapRules, SwapRule } from '../slots/swap-rule.ts';
import { addVariants } from './add-variants.ts';
import { createColorways, recordKnownVariants } from './colorway-batch.ts';
import {
  type ColorwayPollResult,
  colorwayStatusPoller,
  type WatchedColorway,
} from './colorway-status-poller.ts';
import { variantFailures } from './failures.ts';
import { chooseColorways } from './grid/choose-colorways.ts';
import { minNamesToList, resolveMaterials } from './material-name-resolver.ts';
import { formatOperationLocation } from './operation-location.ts';

export const projectVariants = defineStep({
  type: 'project_variants',
  config: z.strictObject({}),
  mode: 'call',
  stage: 'composition',
  submits: true,
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  route: () => 'adds the chosen variants to each existing project, one request per project',
  cost: { requests: ({ assets }) => ({ addVariantsToProject: assets }) },
  run: addVariants,
});

/** Typical duration of a batch. */
const colorwaySeconds = 6;

export const variantsBefore = defineStep({
  type: 'variants_before',
  // The rules serve to find variants that already have the materials. Colorways of a grid have their own rules.
  config: z.strictObject({ swapRules: z.array(SwapRule).min(1).optional() }),
  mode: 'call',
  stage: 'composition',
  callsHold: 'models',
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  route: () => 'reads the variants of each model, to identify the new ones later',
  cost: { requests: ({ assets }) => ({ listModelVariants: assets }) },
  run: recordKnownVariants,
});

export const colorwayBatch = defineStep({
  type: 'colorway_batch',
  config: z.strictObject({ swapRules: z.array(SwapRule).min(1).optional() }),
  mode: 'call',
  stage: 'composition',
  submits: true,
  profile: { batch: 100, startToClose: '5m', timeout: '2h' },
  route: (_config, batch) => `one colorway batch for up to ${batch} models`,
  async lookUp({ swapRules = [] }, context) {
    const isPromised = ({ material }: SwapRule) =>
      material !== undefined && context.promisedMaterials?.has(material.normalize('NFC'));
    const openRules = swapRules.filter((rule) => !isPromised(rule));
    await resolveMaterials(openRules, context);
  },
  cost: {
    byBatch: true,
    requests: ({ assets, batch }) => ({ createColorwayBatch: Math.ceil(assets / batch) }),
    once: countMaterialReads,
  },
  run: createColorways,
});

export const awaitColorways = defineWait<WatchedColorway, ColorwayPollResult>((context) => ({
  poller: colorwayStatusPoller(context.pollerContext),
  itemOf: watchedColorwayOf,
  resultOf: (asset, pollResult) =>
    watchedColorwayOf(asset) ? toResult(asset, pollResult, context) : toResultWithoutBatch(asset),
  timeout: { failure: variantFailures.COLORWAY_TIMEOUT, what: 'its colorway job did not end' },
}));

export const colorwayComplete = defineStep({
  type: 'colorway_complete',
  config: z.strictObject({}),
  mode: 'wait',
  stage: 'composition',
  waitsFor: 'the platform to create colorways',
  profile: { batch: 250, startToClose: '2m', timeout: '6h' },
  route: () => 'polls each batch in progress, for all shards together',
  cost: {
    seconds: colorwaySeconds,
    requests: ({ batchesOf, pollSeconds }) => ({
      getColorwayBatch: pollSeconds * batchesOf('colorway_batch'),
    }),
  },
  run: awaitColorways,
});

/** Finds the variant that was created for each colorway of a grid. */
export const colorwayVariant = defineStep({
  type: 'colorway_variant',
  config: z.strictObject({}),
  mode: 'call',
  stage: 'composition',
  callsHold: 'models',
  fileNeeds: () => slotDemandOf(null),
  profile: { batch: 50, startToClose: '5m', timeout: '6h' },
  route: () => 'reads the variants of each model once and identifies them by their materials',
  cost: { requests: ({ assets }) => ({ listModelVariants: assets }) },
  run: chooseColorways,
});

export const colorwaySteps: readonly StepType[] = [
  variantsBefore,
  colorwayBatch,
  colorwayComplete,
  colorwayVariant,
];

/**
 * Counts the requests of a run: the list of materials, or one search per name if the library is large, and one status
 * request per 100 materials.
 */
function countMaterialReads({ config, found, isMax }: StepWork): Requests {
  const swapRules = config['swapRules'];
  const rules: MaterialChoice[] = [
    ...(Array.isArray(swapRules) ? swapRules.flatMap(toMaterialChoices) : []),
    ...found.flatMap(({ source }) => findSwapRules(source) ?? []),
  ];
  const names = new Set(rules.flatMap(({ material }) => material ?? []));
  const ids = new Set(rules.flatMap(({ materialId }) => materialId ?? []));
  const isListed = names.size >= minNamesToList;
  const listMaterials = isListed ? (isMax ? 1 + names.size : 1) : names.size;
  return {
    ...(names.size > 0 ? { listMaterials } : {}),
    checkMaterialStatus: Math.ceil((names.size + ids.size) / 100),
  };
}

type MaterialChoice = Partial<Pick<SwapRule, 'material' | 'materialId'>>;

function toMaterialChoices(rule: unknown): MaterialChoice[] {
  return typeof rule === 'object' && rule !== null ? [rule] : [];
}

function watchedColorwayOf({ platformIds }: StepAsset): WatchedColorway | null {
  const { modelId, colorway, variants } = platformIds;
  // If an earlier run chose the variants, no polling is needed.
  if (variants !== undefined || !modelId || !colorway?.batchId) return null;
  return { batchId: colorway.batchId, modelId, tries: colorway.tries ?? 0 };
}

function toResult(
  asset: StepAsset,
  pollResult: ColorwayPollResult | undefined,
  context: NodeContext,
): AssetResult | null {
  const { key, platformIds } = asset;
  const colorway = { before: '', ...platformIds.colorway };
  const { batchId = '', warning } = colorway;
  const { status, jobId = '', errorMessage } = pollResult ?? {};
  switch (status) {
    case 'complete': {
      const warnings = warning === undefined ? {} : { warnings: [warning] };
      return {
        key,
        outcome: 'done',
        platformIds: { colorway: { ...colorway, jobId } },
        ...warnings,
      };
    }
    case 'failed': {
      const { code } = variantFailures.COLORWAY_FAILED;
      const message = errorMessage ?? 'the colorway job failed; the platform gives no reason';
      const failedIds = { colorway: { ...colorway, failedJobId: jobId } };
      return { key, outcome: 'retry', code, message, platformIds: failedIds };
    }
    case 'NO_JOB': {
      // The jobs of a new batch may not be visible yet, unless a warning says why there is no job.
      if (warning === undefined && isInConsistencyWindow(platformIds, context)) return null;
      const message = warning ?? 'the platform created no colorway job and gave no reason';
      return fail(slotFailures.COLORWAY_NO_SLOT, key, message, { forgetIds: ['colorway'] });
    }
    case 'NOT_FOUND':
      return failNotFound(key, batchId, context);
    default:
      return null;
  }
}

function failNotFound(key: string, batchId: string, context: NodeContext): AssetResult {
  const failure = variantFailures.COLORWAY_BATCH_NOT_FOUND;
  const location = formatOperationLocation('getColorwayBatch', context);
  // With a wrong route, no run would find its batch, and each would pay for another. The batch id is therefore kept.
  if (location !== null) {
    const message = `${location} has no colorway batch ${batchId}; correct the path`;
    return fail(failure, key, message);
  }
  return failMissing(failure, key, `colorway batch ${batchId}`, ['colorway']);
}

function toResultWithoutBatch({ key, platformIds }: StepAsset): AssetResult {
  // The batch id is empty if a variant is reused, or was found even though the batch's response was lost.
  const isMade = platformIds.variants !== undefined || platformIds.colorway?.batchId === '';
  if (isMade) return { key, outcome: 'done' };
  const message = 'the asset has no colorway batch to wait for';
  return fail(variantFailures.NO_COLORWAY, key, message);
}
