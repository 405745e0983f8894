// Calls that create render jobs and retry failed ones.
import { itemsOf } from '../../api/answer-parts.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import {
  type AnswerTo,
  collect,
  defineCreation,
  type Sent,
} from '../../machinery/submit/creation.ts';
import { type Answers, found, lookOptions } from '../../machinery/submit/finding.ts';

export const createRenders = defineCreation({
  operation: 'createRenders',
  refs: refsOfBatch,
  isAbout: ({ body }, index, { projectId }) => body.projectIds[index] === projectId,
  // The list of renders cannot distinguish the outputs of two jobs of one project.
  doubted: { ownProject: false },
  async rest(sent, { batchId }, context) {
    const read = { params: { batchId } };
    const batch = await context.client.getRenderBatch(read, lookOptions(context));
    const jobs = batch.jobs.flatMap(({ jobId, projectId }) =>
      projectId === undefined ? [] : [{ jobId, projectId }],
    );
    return refsOfBatch(sent, { batchId, jobs: itemsOf(jobs) }, isoTime(context.now()));
  },
});

function refsOfBatch(
  { assets, body }: Sent<'createRenders'>,
  { batchId, jobs }: Pick<AnswerTo<'createRenders'>, 'batchId' | 'jobs'>,
  at: string,
): Answers {
  const idOf = new Map(jobs.map(({ projectId, jobId }) => [projectId, jobId]));
  return collect(assets, (index) => {
    const jobId = idOf.get(body.projectIds[index] ?? '');
    return jobId === undefined ? null : { jobId, batchId, submittedAt: at, failedJob: false };
  });
}

export const retryRenderJob = defineCreation({
  operation: 'retryRenderJob',
  refs: refsOfRetry,
  /** Only a FAILED job can be retried, so any other status shows that the retry worked. The new batch id is unknown. */
  async look(sent, context) {
    const jobId = sent.params?.['jobId'] ?? '';
    const read = () => context.client.getRenderJob({ params: { jobId } }, lookOptions(context));
    const job = await nullWhenGone(read);
    if (job === null || job.status === 'FAILED') return { is: 'undone' };
    return found(refsOfRetry(sent, { jobId, batchId: '' }, isoTime(context.now())));
  },
});

function refsOfRetry(
  { assets }: Sent<'retryRenderJob'>,
  { jobId, batchId }: Pick<AnswerTo<'retryRenderJob'>, 'jobId' | 'batchId'>,
  at: string,
): Answers {
  // The render list cannot distinguish a retried job's outputs from those of the first attempt.
  const job = { jobId, batchId, submittedAt: at, failedJob: false, ownProject: false };
  return collect(assets, () => job);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
