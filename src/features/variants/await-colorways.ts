// Polls the colorway jobs of a shard once and reports which are complete, failed or overdue.

import { isInConsistencyWindow } from '../../engine/consistency-window.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { awaitItems } from '../../engine/wait-results.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { slotFailures } from '../slots/failures.ts';
import {
  type ColorwayPollResult,
  colorwayStatusPoller,
  type WatchedColorway,
} from './colorway-status-poller.ts';
import { variantFailures } from './failures.ts';
import { formatOperationLocation } from './operation-location.ts';

export function awaitColorways(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return awaitItems(assets, context, {
    poller: colorwayStatusPoller(context.pollerContext),
    itemOf: watchedColorway,
    resultOf: (asset, polled) =>
      watchedColorway(asset) ? toResult(asset, polled, context) : resultWithoutBatch(asset),
    timeout: { failure: variantFailures.COLORWAY_TIMEOUT, what: 'its colorway job did not end' },
  });
}

/** The colorway job that the asset waits for; null if there is none. */
function watchedColorway({ platformIds }: StepAsset): WatchedColorway | null {
  const { modelId, colorway, variants } = platformIds;
  // If an earlier run chose the variants, no polling is needed.
  if (variants !== undefined || !modelId || !colorway?.batchId) return null;
  return { batchId: colorway.batchId, modelId, tries: colorway.tries ?? 0 };
}

function toResult(
  asset: StepAsset,
  polled: ColorwayPollResult | undefined,
  context: NodeContext,
): AssetResult | null {
  const { key, platformIds } = asset;
  const { batchId = '', warning } = platformIds.colorway ?? {};
  switch (polled?.status) {
    case 'complete':
      return {
        key,
        outcome: 'done',
        platformIds: {
          colorway: { before: '', ...platformIds.colorway, jobId: polled.jobId ?? '' },
        },
        ...(warning === undefined ? {} : { warnings: [warning] }),
      };
    case 'failed':
      return {
        key,
        outcome: 'retry',
        code: variantFailures.COLORWAY_FAILED.code,
        message: polled.errorMessage ?? 'the colorway job failed; the platform gives no reason',
        platformIds: {
          colorway: { before: '', ...platformIds.colorway, failedJobId: polled.jobId ?? '' },
        },
      };
    case 'NO_JOB':
      // A new batch may not show its jobs yet, unless a warning says why there is no job.
      if (warning === undefined && isInConsistencyWindow(platformIds, context)) return null;
      return fail(
        slotFailures.COLORWAY_NO_SLOT,
        key,
        warning ?? 'the platform made no colorway job for the model and gave no reason',
        { forgetIds: ['colorway'] },
      );
    case 'NOT_FOUND':
      return notFound(key, batchId, context);
    default:
      return null;
  }
}

function notFound(key: string, batchId: string, context: NodeContext): AssetResult {
  const failure = variantFailures.COLORWAY_BATCH_NOT_FOUND;
  const location = formatOperationLocation('getColorwayBatch', context);
  // With a wrong route no run would find its batch, and each run would pay for another; so the batch id is kept.
  if (location !== null) {
    const message = `${location} has no colorway batch ${batchId}; correct the path`;
    return fail(failure, key, message);
  }
  const message = `colorway batch ${batchId} is not in the workspace; it was deleted or never created`;
  return fail(failure, key, message, { forgetIds: ['colorway'], missing: true });
}

function resultWithoutBatch({ key, platformIds }: StepAsset): AssetResult {
  // An empty batch id: a variant is reused, or was found although the response of the batch was lost.
  const isMade = platformIds.variants !== undefined || platformIds.colorway?.batchId === '';
  if (isMade) return { key, outcome: 'done' };
  const message = 'the asset has no colorway batch to wait for';
  return fail(variantFailures.NO_COLORWAY, key, message);
}
