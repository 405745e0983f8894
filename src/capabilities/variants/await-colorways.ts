// Polls the colorway jobs of a shard once and reports which are complete, failed or overdue.
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { isYoung } from '../../machinery/visibility.ts';
import { handOn, justEntered, overdue, readyResults } from '../../machinery/watch/waits.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import {
  type ColorwayLook,
  colorwayId,
  colorwayLooks,
  type WatchedColorway,
} from './colorway-board.ts';
import { variantFailures } from './failures.ts';
import { namedPlace } from './named-place.ts';

export async function awaitColorways(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const nowMs = context.runNow();
  const colorways = colorwayLooks(context.lookout);
  colorways.expect(assets.flatMap(watched));
  const due = assets.filter((asset) => !justEntered(asset, nowMs));
  const seen = await colorways.ask(due.flatMap(watched), context);
  const found = due.flatMap((asset) => {
    const [job] = watched(asset);
    const { look, sinceMs } = (job && seen.get(colorwayId(job))) ?? {};
    const result = job ? judge(asset, look, context) : withoutBatch(asset);
    const what = 'its colorway job did not end';
    const late = overdue(asset, nowMs, {
      failure: variantFailures.COLORWAY_TIMEOUT,
      what,
      status: look?.status,
    });
    return readyResults(asset, result, late, { times: context, sinceMs });
  });
  return handOn(found, assets.length, context);
}

function watched({ refs }: StepAsset): WatchedColorway[] {
  const { modelId, colorway, variants } = refs;
  // If an earlier run chose the variants, no polling is needed.
  if (variants !== undefined || !modelId || !colorway?.batchId) return [];
  return [{ batchId: colorway.batchId, modelId, tries: colorway.tries ?? 0 }];
}

function judge(
  asset: StepAsset,
  look: ColorwayLook | undefined,
  context: NodeContext,
): AssetResult | null {
  const { key, refs } = asset;
  const { batchId = '', warning } = refs.colorway ?? {};
  switch (look?.status) {
    case 'complete':
      return {
        key,
        outcome: 'done',
        refs: { colorway: { before: '', ...refs.colorway, jobId: look.jobId ?? '' } },
        ...(warning === undefined ? {} : { warnings: [warning] }),
      };
    case 'failed':
      return {
        key,
        outcome: 'redo',
        code: variantFailures.COLORWAY_FAILED.code,
        message: look.errorMessage ?? 'the colorway job failed; the platform gives no reason',
        refs: {
          colorway: { before: '', ...refs.colorway, failedJobId: look.jobId ?? '' },
        },
      };
    case 'NO_JOB':
      // A new batch may not show its jobs yet, unless a warning says why there is no job.
      if (warning === undefined && isYoung(refs, context)) return null;
      return fail(
        variantFailures.COLORWAY_NO_SLOT,
        key,
        warning ?? 'the platform made no colorway job for the model and gave no reason',
        { forget: ['colorway'] },
      );
    case 'NOT_FOUND':
      return notFound(key, batchId, context);
    default:
      return null;
  }
}

function notFound(key: string, batchId: string, context: NodeContext): AssetResult {
  const failure = variantFailures.COLORWAY_BATCH_NOT_FOUND;
  const place = namedPlace('getColorwayBatch', context);
  // With a wrong route no run would find its batch, and each run would pay for another; so the batch id is kept.
  if (place !== null) {
    const message = `${place} has no colorway batch ${batchId}; correct the path`;
    return fail(failure, key, message);
  }
  const message = `colorway batch ${batchId} is not in the workspace; it was deleted or never created`;
  return fail(failure, key, message, { forget: ['colorway'], missing: true });
}

function withoutBatch({ key, refs }: StepAsset): AssetResult {
  // An empty batch id means that the new variant was found although the response of the batch was lost.
  const isMade = refs.variants !== undefined || refs.colorway?.batchId === '';
  if (isMade) return { key, outcome: 'done' };
  const message = 'the asset has no colorway batch to wait for';
  return fail(variantFailures.NO_COLORWAY, key, message);
}
