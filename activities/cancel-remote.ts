// Cancels on the platform what it still lets us cancel: renders that were not dispatched (section 3.2).
import type { RequestCounter } from '../src/api/counter.ts';
import { ApiError, NotFoundError, ResponseShapeError } from '../src/api/errors.ts';
import { orUnreadable } from '../src/engine/unreadable.ts';
import type { CancelRemoteInput, CancelReport } from '../src/plan/step-contract.ts';
import type { AssetSheet } from '../src/store/asset-sheets.ts';
import type { AssetPatch } from '../src/store/shard-pages.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';
import { readSheets, writePatches } from './shard-sheets.ts';

/** Says for each asset whose render goes on why; a second attempt meets what the first has cancelled. */
export async function cancelRemote(input: CancelRemoteInput, deps: Deps): Promise<CancelReport> {
  const requests = deps.requestsOf(input.context.run);
  return bookkeeping(deps, async (signal) => {
    const sheets = await readSheets(input, deps, signal);
    const left = await cancelRenders(sheets, deps, requests);
    const pages = await writePatches(input, '', left, deps);
    return { pages, requests: requests.take().byOperation };
  });
}

async function cancelRenders(
  sheets: readonly AssetSheet[],
  deps: Deps,
  requests: RequestCounter,
): Promise<AssetPatch[]> {
  const drawn = sheets.filter(({ refs }) => refs.jobId);
  const batches = new Set(drawn.flatMap(({ refs }) => refs.batchId || []));
  const statuses = new Map<string, string>();
  const unread = new Set<string | undefined>();
  for (const batchId of batches) {
    const jobs = await orUnreadable(() => jobsOf(batchId, deps, requests));
    if (jobs instanceof ResponseShapeError || jobs.unread > 0) unread.add(batchId);
    if (jobs instanceof ResponseShapeError) continue;
    for (const { jobId, status } of jobs) statuses.set(jobId, status);
  }
  const left: AssetPatch[] = [];
  for (const { at, refs } of drawn) {
    const { jobId } = refs;
    // Of what cannot be read the platform knows whether it can be cancelled.
    const unknown = unread.has(refs.batchId) ? 'QUEUED' : undefined;
    const status = statuses.get(jobId ?? '') ?? unknown;
    if (!jobId || status === undefined || status === 'CANCELLED') continue;
    const queued = status === 'QUEUED' || status === 'RENDER_QUEUED';
    if (queued && (await cancelJob(jobId, deps, requests))) continue;
    const why = `render job ${jobId} was ${queued ? 'just dispatched' : status}, too late to cancel; the next run takes it over`;
    left.push({ at, warnings: [why], renderGoesOn: true });
  }
  return left;
}

async function jobsOf(batchId: string, deps: Deps, scope: RequestCounter) {
  try {
    return (await deps.client.getRenderBatch({ params: { batchId } }, { scope })).jobs;
  } catch (error) {
    // What is gone need not be cancelled.
    if (error instanceof NotFoundError) return Object.assign([], { unread: 0 });
    throw error;
  }
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
