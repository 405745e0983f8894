// Reads render jobs from the platform: those of a batch by one request, others by themselves.
import type { CallOptions, Client } from '../../api/client.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { toldOf } from '../../machinery/watch/told-of.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { notFound, type ReadJob } from './render-batch.ts';

export const readsAtOnce = 8;

/**
 * Jobs of a batch; those that the answer names twice, and not the same, are left out. A batch that is gone must not fail
 * the look of all the others.
 * @param batchId empty where nobody knows it: each job is read by itself then
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
