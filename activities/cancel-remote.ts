// Cancels on the platform what it still lets us cancel: renders that were not dispatched (section 3.2).
import type { RequestCounter } from '../src/api/counter.ts';
import { ApiError, ResponseShapeError } from '../src/api/errors.ts';
import { nullWhenGone } from '../src/engine/null-when-gone.ts';
import { orUnreadable } from '../src/engine/unreadable.ts';
import type { CancelRemoteInput, CancelReport } from '../src/plan/step-contract.ts';
import type { AssetSheet } from '../src/store/asset-sheets.ts';
import type { AssetPatch } from '../src/store/shard-pages.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';
import { Lease } from './lease.ts';
import { readSheets, writePatches } from './shard-sheets.ts';

/** Says for each asset whose render goes on why; a second attempt meets what the first has cancelled. */
export async function cancelRemote(input: CancelRemoteInput, deps: Deps): Promise<CancelReport> {
  const requests = deps.requestsOf(input.context.run);
  return bookkeeping(deps, async (signal) => {
    const sheets = await readSheets(input, deps, signal);
    const left = await cancelRenders(sheets, { deps, lease: new Lease(deps) }, requests);
    const pages = await writePatches(input, '', left, deps);
    return { pages, requests: requests.take().byOperation };
  });
}

async function cancelRenders(
  sheets: readonly AssetSheet[],
  { deps, lease }: { deps: Deps; lease: Lease },
  requests: RequestCounter,
): Promise<AssetPatch[]> {
  const drawn = sheets.filter(({ refs }) => refs.jobId);
  const batches = new Set(drawn.flatMap(({ refs }) => refs.batchId || []));
  const alone = drawn.flatMap(({ refs }) => (refs.batchId === '' && refs.jobId) || []);
  const statuses = new Map<string, string>();
  const unread = new Set<string | undefined>();
  const { client } = deps;
  const options = { scope: requests };
  // What is gone need not be cancelled.
  for (const batchId of batches) {
    const read = () => client.getRenderBatch({ params: { batchId } }, options);
    const batch = await orUnreadable(() => nullWhenGone(read));
    if (batch instanceof ResponseShapeError || (batch?.jobs.unread ?? 0) > 0) unread.add(batchId);
    if (batch === null || batch instanceof ResponseShapeError) continue;
    for (const { jobId, status } of batch.jobs) statuses.set(jobId, status);
  }
  for (const jobId of alone) {
    const job = await nullWhenGone(() => client.getRenderJob({ params: { jobId } }, options));
    if (job !== null) statuses.set(jobId, job.status);
  }
  const left: AssetPatch[] = [];
  for (const { at, refs } of drawn) {
    const { jobId } = refs;
    // Of what cannot be read the platform knows whether it can be cancelled.
    const unknown = unread.has(refs.batchId) ? 'QUEUED' : undefined;
    const status = statuses.get(jobId ?? '') ?? unknown;
    if (!jobId || status === undefined || status === 'CANCELLED') continue;
    const queued = status === 'QUEUED' || status === 'RENDER_QUEUED';
    if (queued) await lease.hold();
    if (queued && (await cancelJob(jobId, deps, requests))) continue;
    const why = `render job ${jobId} was ${queued ? 'just dispatched' : status}, too late to cancel; the next run takes it over`;
    left.push({ at, warnings: [why], renderGoesOn: true });
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
