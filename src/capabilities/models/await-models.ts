// Polls the models of a shard once and reports which are ready, failed or overdue.
import type { KnownFailure } from '../../failures/define.ts';
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { handOn, justEntered, overdue, readyResults } from '../../machinery/watch/waits.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { modelFailures } from './failures.ts';
import { isModelOver, type ModelLook, modelLooks } from './model-board.ts';

const forgotten: (keyof Refs)[] = [
  'modelId',
  'colorway',
  'variants',
  'projectId',
  'jobId',
  'batchId',
  'outputs',
];

export async function awaitModels(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const nowMs = context.runNow();
  const models = modelLooks(context.lookout);
  models.expect(assets.flatMap(({ refs }) => refs.modelId ?? []));
  const due = assets.filter(
    (asset) => !justEntered(asset, nowMs) || models.isHinted(asset.refs.modelId ?? ''),
  );
  const ids = due.flatMap(({ refs }) => refs.modelId ?? []);
  const seen = await models.ask(ids, context);
  const found = due.flatMap((asset) => {
    const { look, sinceMs } = seen.get(asset.refs.modelId ?? '') ?? {
      look: undefined,
      sinceMs: undefined,
    };
    const what = 'its model was not ready';
    const late = overdue(asset, nowMs, {
      failure: modelFailures.MODEL_TIMEOUT,
      what,
      status: look?.status,
    });
    return readyResults(asset, judge(asset, look), late, { times: context, sinceMs });
  });
  return handOn(found, assets.length, context, context.lookout.hints.relied('model'));
}

function judge(asset: StepAsset, look: ModelLook | null | undefined): AssetResult | null {
  const { key } = asset;
  const { modelId } = asset.refs;
  if (look === null || modelId === undefined) {
    const message = `model ${modelId ?? '(none)'} is not in the workspace; it was deleted or never created`;
    const more = { forget: forgotten, missing: true } as const;
    return fail(modelFailures.MODEL_NOT_FOUND, key, message, more);
  }
  if (look === undefined || !isModelOver(look)) return null;
  if (look.ready) return { key, outcome: 'done' };
  const message =
    look.error ?? `model ${modelId} ended ${look.status}; the platform gives no reason`;
  return fail(endOf(look.status), key, message, { forget: forgotten });
}

function endOf(status: string): KnownFailure {
  if (status === 'MODEL_REJECTED' || status === 'MODEL_REQUIRED') return modelFailures[status];
  return modelFailures.MODEL_FAILED;
}
