// Polls the render jobs of a shard once and reports which have finished, failed or are overdue.
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import {
  handOn,
  justEntered,
  onLooksClock,
  overdue,
  readyResults,
} from '../../machinery/watch/waits.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { renderFailures } from './failures.ts';
import { type RenderLook, renderLooks, type WatchedJob, watchId } from './render-board.ts';
import { failureOf, jobRefs, renderCancelled } from './render-ends.ts';

export async function awaitRenders(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const nowMs = context.runNow();
  const renders = renderLooks(context.lookout);
  const watched = (asset: StepAsset) =>
    jobsOf(asset, onLooksClock(asset.enteredAtMs ?? nowMs, context));
  renders.expect(assets.flatMap(watched));
  const due = assets.filter((asset) => {
    const jobs = watched(asset);
    const isNews = jobs.length === 0 || jobs.some((job) => renders.isHinted(job));
    return isNews || !justEntered(asset, nowMs);
  });
  const seen = await renders.ask(due.flatMap(watched), context);
  const found = due.flatMap((asset) => {
    const [job] = watched(asset);
    const { look, sinceMs } = (job && seen.get(watchId(job))) ?? {};
    const result = job ? judge(asset, look) : withoutJob(asset);
    const what = 'its render did not end';
    const late = overdue(asset, nowMs, {
      failure: renderFailures.RENDER_TIMEOUT,
      what,
      status: look?.status,
    });
    // Waiting for more results started when the job's first output was seen, not when its end became certain.
    const seenMs =
      look?.hintedAtMs === undefined
        ? sinceMs
        : Math.min(sinceMs ?? look.hintedAtMs, look.hintedAtMs);
    return readyResults(asset, result, late, { times: context, sinceMs: seenMs });
  });
  return handOn(found, assets.length, context, context.lookout.hints.relied('render'));
}

function jobsOf({ refs }: StepAsset, waitedSinceMs: number): WatchedJob[] {
  const { jobId, batchId, projectId, submittedAt, ownProject, retries, outputs, alike } = refs;
  if (!jobId || batchId === undefined || !projectId || !submittedAt) return [];
  // The job had finished before the wait began.
  if (batchId === '' && outputs !== undefined) return [];
  const only = ownProject === true && !retries;
  return [{ jobId, batchId, projectId, submittedAt, waitedSinceMs, only, alike }];
}

function judge(asset: StepAsset, look: RenderLook | undefined): AssetResult | null {
  const { key } = asset;
  switch (look?.status) {
    case 'COMPLETED':
      return { key, outcome: 'done', ...(look.outputs ? { refs: { outputs: look.outputs } } : {}) };
    case 'FAILED':
      return {
        key,
        outcome: 'redo',
        code: renderFailures.RENDER_FAILED.code,
        message: failureOf(look),
        refs: { failedJob: true },
      };
    case 'CANCELLED':
      return renderCancelled(key);
    case 'NOT_FOUND':
      return fail(
        renderFailures.RENDER_JOB_NOT_FOUND,
        key,
        `render ${asset.refs.batchId ? `batch ${asset.refs.batchId}` : `job ${asset.refs.jobId ?? ''}`} is not in the workspace; it was deleted or never created`,
        { forget: [...jobRefs], missing: true },
      );
    default:
      return null;
  }
}

/** Assets selected on the platform have outputs and no job. */
function withoutJob({ key, refs }: StepAsset): AssetResult {
  if (refs.outputs !== undefined) return { key, outcome: 'done' };
  return fail(renderFailures.NO_RENDER, key, 'the asset has no render job to wait for');
}
