import type { Client } from '../../api/client.ts';
import { ApiError, ResponseShapeError } from '../../api/errors/errors.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { isInConsistencyWindow } from '../../engine/consistency-window.ts';
import type { CancelContext } from '../../engine/feature.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { readOrUnreadable } from '../../engine/unreadable-response.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { AssetState } from '../../store/runs/asset-states.ts';
import type { AssetUpdate } from '../../store/runs/shard-pages.ts';

/** Cancels renders. Returns a warning for each that continues or has ended, unless an earlier attempt cancelled it. */
export async function cancelRenders(
  states: readonly AssetState[],
  context: CancelContext,
): Promise<AssetUpdate[]> {
  const { client, requests, now } = context;
  const updates: AssetUpdate[] = [];
  const assetsWithJob = states.filter(({ platformIds }) => platformIds.jobId);
  const statuses = await readStatuses(assetsWithJob, client, requests);
  for (const { assetIndex, platformIds } of assetsWithJob) {
    const { jobId = '' } = platformIds;
    // A new job may not be visible yet, but it is running, so it is cancelled too.
    const isNew = isInConsistencyWindow(platformIds, { client, now });
    const status = statuses.get(jobId) ?? (isNew ? assumedStatus : undefined);
    if (status === undefined || status === 'CANCELLED') continue;
    let reportedStatus: string = status;
    if (status === 'QUEUED' || status === 'RENDER_QUEUED') {
      const isCancelled = await nullIfNotFound(() => cancelJob(jobId, context));
      if (isCancelled ?? !isNew) continue;
      reportedStatus = isCancelled === null ? 'created a moment ago' : 'just dispatched';
    }
    const warning = `render job ${jobId} cannot be cancelled (${reportedStatus}); the next run uses this render`;
    updates.push({ assetIndex, warnings: [warning], renderContinues: true });
  }
  return updates;
}

/** Status assumed for a job that cannot be read. The cancel request is then sent, and the platform decides. */
const assumedStatus = 'QUEUED';

/** Reads statuses by job id. Deleted jobs need no cancellation and are omitted. */
async function readStatuses(
  states: readonly AssetState[],
  client: Client,
  requestCounter: RequestCounter,
): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  const read = <T>(call: () => Promise<T>) => readOrUnreadable(() => nullIfNotFound(call));
  for (const [batchId, sheets] of groupBy(states, ({ platformIds }) => platformIds.batchId ?? '')) {
    const jobIds = sheets.flatMap(({ platformIds }) => platformIds.jobId ?? []);
    if (batchId === '') {
      for (const jobId of jobIds) {
        const job = await read(() =>
          client.getRenderJob({ params: { jobId } }, { requestCounter }),
        );
        const status = job instanceof ResponseShapeError ? assumedStatus : job?.status;
        if (status !== undefined) statuses.set(jobId, status);
      }
      continue;
    }
    const batch = await read(() =>
      client.getRenderBatch({ params: { batchId } }, { requestCounter }),
    );
    if (batch === null) continue;
    const jobs = batch instanceof ResponseShapeError ? null : batch.jobs;
    if ((jobs?.unread ?? 1) > 0) for (const jobId of jobIds) statuses.set(jobId, assumedStatus);
    for (const { jobId, status } of jobs ?? []) statuses.set(jobId, status);
  }
  return statuses;
}

/** Returns false if the job was dispatched in the meantime. @throws NotFoundError */
async function cancelJob(
  jobId: string,
  { client, requests: requestCounter, assertLease: beforeSend }: CancelContext,
): Promise<boolean> {
  try {
    await client.cancelRenderJob(
      { params: { jobId } },
      { requestCounter, priority: 'interactive', beforeSend },
    );
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'INVALID_STATUS') return false;
    throw error;
  }
}
