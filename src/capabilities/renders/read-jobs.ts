// Reads render jobs: those of a batch with one request, others individually.
import type { CallOptions, Client } from '../../api/client.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { toldOf } from '../../machinery/watch/told-of.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { notFound, type ReadJob } from './render-batch.ts';

export const readsAtOnce = 8;

/**
 * Reads the jobs of a batch. Jobs with contradictory entries in the response are left out. A deleted batch yields NOT_FOUND
 * statuses instead of an error, so that the poll of other batches continues.
 * @param batchId empty if unknown; each job is read individually then
 */
export async function jobsOfBatch(
  client: Client,
  batchId: string,
  asked: readonly { jobId: string }[],
  options: CallOptions,
): Promise<readonly ReadJob[]> {
  if (batchId === '') {
    const readAlone = async ({ jobId }: { jobId: string }): Promise<ReadJob> => {
      const read = () => client.getRenderJob({ params: { jobId } }, options);
      return { status: notFound, ...(await nullWhenGone(read)), jobId };
    };
    return mapBounded(asked, readAlone, { atOnce: readsAtOnce });
  }
  const answer = await nullWhenGone(() => client.getRenderBatch({ params: { batchId } }, options));
  if (!answer) return asked.map(({ jobId }) => ({ jobId, status: notFound }));
  const told = answer.jobs.map(({ jobId }) => jobId);
  return [...toldOf(told, answer.jobs, ({ jobId }) => jobId).values()];
}
