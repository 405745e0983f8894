// Polls the render jobs of a shard once and reports which have finished, failed or are overdue.

import type { NodeContext } from '../../engine/node-context.ts';
import { awaitItems, toPollClock } from '../../engine/wait-results.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { renderFailures } from './failures.ts';
import { failCancelledRender, formatJobFailure, jobIdFields } from './job-failures.ts';
import {
  type RenderPollResult,
  renderStatusPoller,
  type WatchedJob,
} from './status/render-status-poller.ts';

export function awaitRenders(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const nowMs = context.runNow();
  const itemOf = (asset: StepAsset) =>
    watchedJob(asset, toPollClock(asset.enteredAtMs ?? nowMs, context));
  return awaitItems(assets, context, {
    poller: renderStatusPoller(context.pollerContext),
    itemOf,
    resultOf: (asset, polled) =>
      itemOf(asset) ? toResult(asset, polled) : resultWithoutJob(asset),
    timeout: { failure: renderFailures.RENDER_TIMEOUT, what: 'its render did not end' },
    noticedAtMs: (polled) => polled.noticedAtMs,
  });
}

/** The job that the asset waits for; null if there is none. */
function watchedJob({ platformIds }: StepAsset, waitedSinceMs: number): WatchedJob | null {
  const { jobId, batchId, projectId, submittedAt, ownProject, retries, outputs, outputCountKey } =
    platformIds;
  if (!jobId || batchId === undefined || !projectId || !submittedAt) return null;
  // The job had finished before the wait began.
  if (batchId === '' && outputs !== undefined) return null;
  const isOnlyJob = ownProject === true && !retries;
  return { jobId, batchId, projectId, submittedAt, waitedSinceMs, isOnlyJob, outputCountKey };
}

function toResult(asset: StepAsset, polled: RenderPollResult | undefined): AssetResult | null {
  const { key } = asset;
  switch (polled?.status) {
    case 'COMPLETED':
      return {
        key,
        outcome: 'done',
        ...(polled.outputs ? { platformIds: { outputs: polled.outputs } } : {}),
      };
    case 'FAILED':
      return {
        key,
        outcome: 'retry',
        code: renderFailures.RENDER_FAILED.code,
        message: formatJobFailure(polled),
        platformIds: { failedJob: true },
      };
    case 'CANCELLED':
      return failCancelledRender(key);
    case 'NOT_FOUND':
      return fail(
        renderFailures.RENDER_JOB_NOT_FOUND,
        key,
        `render ${asset.platformIds.batchId ? `batch ${asset.platformIds.batchId}` : `job ${asset.platformIds.jobId ?? ''}`} is not in the workspace; it was deleted or never created`,
        { forgetIds: [...jobIdFields], missing: true },
      );
    default:
      return null;
  }
}

/** Returns the result of an asset without a job to wait for: done if its outputs are known, else failed. */
function resultWithoutJob({ key, platformIds }: StepAsset): AssetResult {
  if (platformIds.outputs !== undefined) return { key, outcome: 'done' };
  return fail(renderFailures.NO_RENDER, key, 'the asset has no render job to wait for');
}
