// Polls the models of a shard once and reports which are ready, failed or overdue.

import type { NodeContext } from '../../engine/node-context.ts';
import { awaitItems } from '../../engine/wait-results.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { modelFailures } from './failures.ts';
import { isModelFinished, type ModelPollResult, modelStatusPoller } from './model-status-poller.ts';

const idsOfDeletedModel: (keyof PlatformIds)[] = [
  'modelId',
  'colorway',
  'variants',
  'projectId',
  'jobId',
  'batchId',
  'outputs',
];

export function awaitModels(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return awaitItems(assets, context, {
    poller: modelStatusPoller(context.pollerContext),
    itemOf: ({ platformIds }) => platformIds.modelId ?? null,
    resultOf: toResult,
    timeout: { failure: modelFailures.MODEL_TIMEOUT, what: 'its model was not ready' },
  });
}

function toResult(
  asset: StepAsset,
  polled: ModelPollResult | null | undefined,
): AssetResult | null {
  const { key } = asset;
  const { modelId } = asset.platformIds;
  if (polled === null || modelId === undefined) {
    const message = `model ${modelId ?? '(none)'} is not in the workspace; it was deleted or never created`;
    const more = { forgetIds: idsOfDeletedModel, missing: true } as const;
    return fail(modelFailures.MODEL_NOT_FOUND, key, message, more);
  }
  if (polled === undefined || !isModelFinished(polled)) return null;
  if (polled.ready) return { key, outcome: 'done' };
  const message =
    polled.error ?? `model ${modelId} ended ${polled.status}; the platform gives no reason`;
  return fail(failureOf(polled.status), key, message, { forgetIds: idsOfDeletedModel });
}

function failureOf(status: string): KnownFailure {
  if (status === 'MODEL_REJECTED' || status === 'MODEL_REQUIRED') return modelFailures[status];
  return modelFailures.MODEL_FAILED;
}
