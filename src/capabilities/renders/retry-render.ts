// Starts a failed render job again, or takes over its new state: a run that is done again may come late.
import { refusalOf } from '../../api/refusal.ts';
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { submitOnce } from '../../machinery/submit/submit-once.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { retryRenderJob } from './creations.ts';
import { renderFailures } from './failures.ts';
import { outputRefsOf, outputsCarried } from './job-outputs.ts';
import type { OutputRef } from './refs.ts';
import { failureOf, jobRefs, renderCancelled } from './render-ends.ts';

export async function retryRender(asset: StepAsset, context: NodeContext): Promise<AssetResult[]> {
  const { key, refs } = asset;
  try {
    const submitted = await submitOnce(
      {
        creation: retryRenderJob,
        params: { jobId: refs.jobId ?? '' },
        body: null,
        assets: [asset],
        epoch: refs.retries ?? 1,
        purpose: 'retry',
      },
      context,
    );
    const made = submitted.refs[key];
    if (made) return [{ key, outcome: 'done', refs: made }];
  } catch (error) {
    // Only FAILED jobs can be retried (3.2): somebody else has started it again. Which code says so is not documented (platform.md, section 7).
    const refusal = refusalOf(error, ['content']);
    if (refusal === null) throw error;
    return [await takeOver(asset, refusal.error.detail, context)];
  }
  const message = 'the platform did not start the render again';
  return [fail(renderFailures.RENDER_NOT_STARTED, key, message)];
}

/**
 * Nothing is paid for a job that was started again already, so it is waited for as it is. No operation tells which
 * batch it is in now.
 * @param refusal why the platform did not start it again, in its words
 */
async function takeOver(
  { key, refs: { jobId = '' } }: StepAsset,
  refusal: string,
  context: NodeContext,
): Promise<AssetResult> {
  const { client, requests: scope, signal } = context;
  const options = { priority: 'status', scope, signal } as const;
  const job = await client.getRenderJob({ params: { jobId } }, options);
  const { status } = job;
  if (status === 'CANCELLED') return renderCancelled(key);
  if (status === 'FAILED') {
    const message = `${failureOf(job)}; the platform refused to start it again: ${refusal}`;
    return fail(renderFailures.RENDER_FAILED, key, message, { forget: [...jobRefs] });
  }
  const startedAgain: Refs = { failedJob: false, ownProject: false, batchId: '' };
  if (status !== 'COMPLETED') {
    const submittedAt = new Date(context.now()).toISOString();
    return { key, outcome: 'done', refs: { ...startedAgain, submittedAt } };
  }
  const outputs = outputRefsOf(job);
  return {
    key,
    outcome: 'done',
    refs: {
      ...startedAgain,
      outputs: outputs.length > outputsCarried ? outputs.slice(0, 1).map(withoutAddress) : outputs,
    },
  };
}

/** Says that there are outputs, and that they must be asked for. */
function withoutAddress({ url: _url, ...output }: OutputRef): OutputRef {
  return output;
}
