// Retries a failed render job. If somebody else has retried the job already, takes over its current state.
import { refusalOf } from '../../api/errors/refusal.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { renderRetry } from './creations.ts';
import { renderFailures } from './failures.ts';
import { failCancelledRender, formatJobFailure, jobIdFields } from './job-failures.ts';
import { maxStoredOutputs, toOutputRefs } from './job-outputs.ts';
import type { OutputRef } from './platform-ids.ts';

export async function retryRender(asset: StepAsset, context: NodeContext): Promise<AssetResult[]> {
  const { key, platformIds } = asset;
  try {
    const submitted = await submitOnce(
      {
        creation: renderRetry,
        params: { jobId: platformIds.jobId ?? '' },
        body: null,
        assets: [asset],
        epoch: platformIds.retries ?? 1,
        purpose: 'retry',
      },
      context,
    );
    const made = submitted.platformIds[key];
    if (made) return [{ key, outcome: 'done', platformIds: made }];
  } catch (error) {
    // Only FAILED jobs can be retried, so somebody else has retried this one. The error code for this is not documented.
    const refusal = refusalOf(error, ['content']);
    if (refusal === null) throw error;
    return [await adoptRetriedJob(asset, refusal.error.detail, context)];
  }
  const message = 'the platform did not retry the render';
  return [fail(renderFailures.RENDER_NOT_STARTED, key, message)];
}

/**
 * Takes over the state of a job that was retried elsewhere, instead of paying for another. No operation reports the
 * job's new batch.
 * @param refusal the platform's reason for refusing the retry
 */
async function adoptRetriedJob(
  { key, platformIds: { jobId = '' } }: StepAsset,
  refusal: string,
  context: NodeContext,
): Promise<AssetResult> {
  const { client, requests: scope, signal } = context;
  const options = { priority: 'status', scope, signal } as const;
  const job = await client.getRenderJob({ params: { jobId } }, options);
  const { status } = job;
  if (status === 'CANCELLED') return failCancelledRender(key);
  if (status === 'FAILED') {
    const message = `${formatJobFailure(job)}; the platform refused to retry it: ${refusal}`;
    return fail(renderFailures.RENDER_FAILED, key, message, { forgetIds: [...jobIdFields] });
  }
  const retriedIds: PlatformIds = { failedJob: false, ownProject: false, batchId: '' };
  if (status !== 'COMPLETED') {
    const submittedAt = new Date(context.now()).toISOString();
    return { key, outcome: 'done', platformIds: { ...retriedIds, submittedAt } };
  }
  const outputs = toOutputRefs(job);
  return {
    key,
    outcome: 'done',
    platformIds: {
      ...retriedIds,
      outputs:
        outputs.length > maxStoredOutputs ? outputs.slice(0, 1).map(withoutAddress) : outputs,
    },
  };
}

/** Keeps the output as a sign that outputs exist, without its URL, so that they are read from the job. */
function withoutAddress({ url: _url, ...output }: OutputRef): OutputRef {
  return output;
}
