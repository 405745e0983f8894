// Cancels on the platform what it still lets us cancel: renders that were not dispatched (section 3.2).
import { Context } from '@temporalio/activity';
import type { RequestCounter } from '../src/api/counter.ts';
import { ApiError } from '../src/api/errors.ts';
import { nullWhenGone } from '../src/engine/null-when-gone.ts';
import type { CancelRemoteInput, CancelReport } from '../src/plan/contract.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';
import { whileBeating } from './heartbeats.ts';

/** Says for each asset whose render goes on why; a second attempt meets what the first has cancelled. */
export async function cancelRemote(input: CancelRemoteInput, deps: Deps): Promise<CancelReport> {
  const requests = deps.requestsOf(input.context.run);
  try {
    const left = await whileBeating(() => cancelRenders(input, deps, requests));
    return { left, requests: requests.take().byOperation };
  } catch (error) {
    throw toFailure(error, Context.current().info.attempt, deps.secrets);
  }
}

async function cancelRenders(
  { assets }: CancelRemoteInput,
  deps: Deps,
  requests: RequestCounter,
): Promise<CancelReport['left']> {
  const batches = new Set(assets.flatMap(({ refs }) => refs.batchId || []));
  const alone = assets.flatMap(({ refs }) => (refs.batchId === '' && refs.jobId) || []);
  const statuses = new Map<string, string>();
  const { client } = deps;
  const options = { scope: requests };
  // What is gone need not be cancelled.
  for (const batchId of batches) {
    const read = () => client.getRenderBatch({ params: { batchId } }, options);
    const { jobs } = (await nullWhenGone(read)) ?? { jobs: [] };
    for (const { jobId, status } of jobs) statuses.set(jobId, status);
  }
  for (const jobId of alone) {
    const job = await nullWhenGone(() => client.getRenderJob({ params: { jobId } }, options));
    if (job !== null) statuses.set(jobId, job.status);
  }
  const left: CancelReport['left'] = {};
  for (const { key, refs } of assets) {
    const { jobId } = refs;
    const status = statuses.get(jobId ?? '');
    if (!jobId || status === undefined || status === 'CANCELLED') continue;
    const queued = status === 'QUEUED' || status === 'RENDER_QUEUED';
    if (queued && (await cancelJob(jobId, deps, requests))) continue;
    left[key] =
      `render job ${jobId} was ${queued ? 'just dispatched' : status}, too late to cancel; the next run takes it over`;
  }
  return left;
}

/** False when the window has closed meanwhile; it is short. */
async function cancelJob(jobId: string, deps: Deps, scope: RequestCounter): Promise<boolean> {
  try {
    await deps.client.cancelRenderJob({ params: { jobId } }, { scope, priority: 'interactive' });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'INVALID_STATUS' || error.status === 404))
      return false;
    throw error;
  }
}
