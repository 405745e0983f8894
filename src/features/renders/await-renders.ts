// Polls the render jobs of a shard once and reports which have finished, failed or are overdue.

import type { NodeContext } from '../../engine/node-context.ts';
import {
  failIfOverdue,
  hasJustEntered,
  takeReadyResults,
  toPollClock,
  toReadyResults,
} from '../../engine/wait-results.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { renderFailures } from './failures.ts';
import { failCancelledRender, formatJobFailure, jobIdFields } from './job-failures.ts';
import {
  type RenderPollResult,
  renderStatusPoller,
  type WatchedJob,
  watchedJobId,
} from './render-status-poller.ts';

export async function awaitRenders(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const nowMs = context.runNow();
  const renders = renderStatusPoller(context.pollerContext);
  const watchedJobs = (asset: StepAsset) =>
    jobsOf(asset, toPollClock(asset.enteredAtMs ?? nowMs, context));
  renders.track(assets.flatMap(watchedJobs));
  const dueAssets = assets.filter((asset) => {
    const jobs = watchedJobs(asset);
    const isReadyNow = jobs.length === 0 || jobs.some((job) => renders.hasWakeUp(job));
    return isReadyNow || !hasJustEntered(asset, nowMs);
  });
  const seen = await renders.poll(dueAssets.flatMap(watchedJobs), context);
  const found = dueAssets.flatMap((asset) => {
    const [job] = watchedJobs(asset);
    const { status, sinceMs } = (job && seen.get(watchedJobId(job))) ?? {};
    const result = job ? toResult(asset, status) : resultWithoutJob(asset);
    const what = 'its render did not end';
    const late = failIfOverdue(asset, nowMs, {
      failure: renderFailures.RENDER_TIMEOUT,
      what,
      status: status?.status,
    });
    // Waiting for more results started when the job's first output was seen, not when its end became certain.
    const seenMs =
      status?.noticedAtMs === undefined
        ? sinceMs
        : Math.min(sinceMs ?? status.noticedAtMs, status.noticedAtMs);
    return toReadyResults(asset, result, late, { times: context, sinceMs: seenMs });
  });
  return takeReadyResults(
    found,
    assets.length,
    context,
    context.pollerContext.wakeUps.isReliable('render'),
  );
}

function jobsOf({ platformIds }: StepAsset, waitedSinceMs: number): WatchedJob[] {
  const { jobId, batchId, projectId, submittedAt, ownProject, retries, outputs, outputCountKey } =
    platformIds;
  if (!jobId || batchId === undefined || !projectId || !submittedAt) return [];
  // The job had finished before the wait began.
  if (batchId === '' && outputs !== undefined) return [];
  const only = ownProject === true && !retries;
  return [
    { jobId, batchId, projectId, submittedAt, waitedSinceMs, isOnlyJob: only, outputCountKey },
  ];
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

/** Assets selected on the platform have outputs and no job. */
function resultWithoutJob({ key, platformIds }: StepAsset): AssetResult {
  if (platformIds.outputs !== undefined) return { key, outcome: 'done' };
  return fail(renderFailures.NO_RENDER, key, 'the asset has no render job to wait for');
}
