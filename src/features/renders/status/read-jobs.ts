// Reads render jobs: those of a batch with one request, others individually.
import type { CallOptions, Client } from '../../../api/client.ts';
import { nullWhenMissing } from '../../../engine/null-when-missing.ts';
import { itemsById } from '../../../engine/polling/items-by-id.ts';
import { mapBounded } from '../../../store/objects/map-bounded.ts';
import { notFoundStatus, type ReadJob } from './render-batch.ts';

export const concurrentReads = 8;

/**
 * Reads the jobs of a batch. Jobs with contradictory entries in the response are left out. A deleted batch yields NOT_FOUND
 * statuses instead of an error, so that the poll of other batches continues.
 * @param batchId empty if unknown; each job is read individually then
 */
export async function readBatchJobs(
  client: Client,
  batchId: string,
  wantedJobs: readonly { jobId: string }[],
  options: CallOptions,
): Promise<readonly ReadJob[]> {
  if (batchId === '') {
    const readAlone = async ({ jobId }: { jobId: string }): Promise<ReadJob> => {
      const read = () => client.getRenderJob({ params: { jobId } }, options);
      return { status: notFoundStatus, ...(await nullWhenMissing(read)), jobId };
    };
    return mapBounded(wantedJobs, readAlone, { atOnce: concurrentReads });
  }
  const answer = await nullWhenMissing(() =>
    client.getRenderBatch({ params: { batchId } }, options),
  );
  if (!answer) return wantedJobs.map(({ jobId }) => ({ jobId, status: notFoundStatus }));
  const reportedIds = answer.jobs.map(({ jobId }) => jobId);
  return [...itemsById(reportedIds, answer.jobs, ({ jobId }) => jobId).values()];
}
