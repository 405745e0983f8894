// Cancels the renders that were not dispatched, which are all that the platform lets us cancel (platform.md, section 3).
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { ApiError, ResponseShapeError } from '../../api/errors.ts';
import type { CancelContext } from '../../machinery/capability.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { orUnreadable } from '../../machinery/unreadable.ts';
import { isYoung } from '../../machinery/visibility.ts';
import { groupBy } from '../../plan/group-by.ts';
import type { AssetSheet } from '../../store/runs/asset-sheets.ts';
import type { AssetPatch } from '../../store/runs/shard-pages.ts';

/** Says why, for each asset whose render goes on; a second attempt meets jobs that the first has cancelled. */
export async function cancelRenders(
  sheets: readonly AssetSheet[],
  { client, requests, now, hold }: CancelContext,
): Promise<AssetPatch[]> {
  const left: AssetPatch[] = [];
  const drawn = sheets.filter(({ refs }) => refs.jobId);
  const statuses = await statusesOf(drawn, client, requests);
  for (const { at, refs } of drawn) {
    const { jobId = '' } = refs;
    // A job that was made a moment ago may not show yet, and goes on all the same.
    const unseen = isYoung(refs, { client, now }) ? unreadable : undefined;
    const status = statuses.get(jobId) ?? unseen;
    if (status === undefined || status === 'CANCELLED') continue;
    let told: string = status;
    if (status === 'QUEUED' || status === 'RENDER_QUEUED') {
      await hold();
      if (await cancelJob(jobId, client, requests)) continue;
      told = statuses.has(jobId) ? 'just dispatched' : 'made a moment ago';
    }
    const why = `render job ${jobId} was ${told}, too late to cancel; the next run takes it over`;
    left.push({ at, warnings: [why], renderGoesOn: true });
  }
  return left;
}

/** A job that cannot be read is cancelled anyway: the platform knows if it can be. */
const unreadable = 'QUEUED';

/** By job; what is gone need not be cancelled, and has none. */
async function statusesOf(
  drawn: readonly AssetSheet[],
  client: Client,
  scope: RequestCounter,
): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  const read = <T>(call: () => Promise<T>) => orUnreadable(() => nullWhenGone(call));
  for (const [batchId, sheets] of groupBy(drawn, ({ refs }) => refs.batchId ?? '')) {
    const jobIds = sheets.flatMap(({ refs }) => refs.jobId ?? []);
    if (batchId === '') {
      for (const jobId of jobIds) {
        const job = await read(() => client.getRenderJob({ params: { jobId } }, { scope }));
        const status = job instanceof ResponseShapeError ? unreadable : job?.status;
        if (status !== undefined) statuses.set(jobId, status);
      }
      continue;
    }
    const batch = await read(() => client.getRenderBatch({ params: { batchId } }, { scope }));
    if (batch === null) continue;
    const jobs = batch instanceof ResponseShapeError ? null : batch.jobs;
    if ((jobs?.unread ?? 1) > 0) for (const jobId of jobIds) statuses.set(jobId, unreadable);
    for (const { jobId, status } of jobs ?? []) statuses.set(jobId, status);
  }
  return statuses;
}

/** False when the window has closed meanwhile; it is short. */
async function cancelJob(jobId: string, client: Client, scope: RequestCounter): Promise<boolean> {
  try {
    await client.cancelRenderJob({ params: { jobId } }, { scope, priority: 'interactive' });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'INVALID_STATUS' || error.status === 404))
      return false;
    throw error;
  }
}
