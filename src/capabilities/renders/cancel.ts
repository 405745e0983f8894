// Cancels renders that were not dispatched yet; the platform cannot cancel others.
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

/** Returns a warning for each asset whose render continues. A retry finds jobs that the first attempt cancelled. */
export async function cancelRenders(
  sheets: readonly AssetSheet[],
  { client, requests, now, hold }: CancelContext,
): Promise<AssetPatch[]> {
  const left: AssetPatch[] = [];
  const drawn = sheets.filter(({ refs }) => refs.jobId);
  const statuses = await statusesOf(drawn, client, requests);
  for (const { at, refs } of drawn) {
    const { jobId = '' } = refs;
    // A job that was just created may not be visible yet, but it runs.
    const unseen = isYoung(refs, { client, now }) ? unreadable : undefined;
    const status = statuses.get(jobId) ?? unseen;
    if (status === undefined || status === 'CANCELLED') continue;
    let told: string = status;
    if (status === 'QUEUED' || status === 'RENDER_QUEUED') {
      await hold();
      if (await cancelJob(jobId, client, requests)) continue;
      told = statuses.has(jobId) ? 'just dispatched' : 'created a moment ago';
    }
    const why = `render job ${jobId} was ${told}, too late to cancel; the next run uses it`;
    left.push({ at, warnings: [why], renderGoesOn: true });
  }
  return left;
}

/** Status assumed for a job that cannot be read: the cancel request is sent, and the platform decides. */
const unreadable = 'QUEUED';

/** Statuses by job id. Deleted jobs need no cancel and are left out. */
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

/** Returns false if the job was dispatched in the meantime. */
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
