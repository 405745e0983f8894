// Calls that create render jobs and retry failed ones.
import { itemsOf } from '../../api/contract/response-marks.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { callOptions, type IdsByAsset, toCallOutcome } from '../../engine/submit/call-outcome.ts';
import {
  assignIds,
  defineCreation,
  type ParsedCall,
  type ResponseTo,
} from '../../engine/submit/creation.ts';

export const renderCreation = defineCreation({
  operation: 'createRenders',
  readIds: readBatchIds,
  isAboutAsset: ({ body }, index, { projectId }) => body.projectIds[index] === projectId,
  // The list of renders cannot distinguish the outputs of two jobs of one project.
  idsWhenAmbiguous: { ownProject: false },
  renders: {
    requested: ({ body }) => new Set(body.projectIds).size,
    // A job that cannot be read may have been started, so the number is unknown.
    started: ({ jobs }, createdIds) =>
      jobs.unread > 0 ? null : new Set(Object.values(createdIds).map(({ jobId }) => jobId)).size,
  },
  async readUnmentioned(sentCall, { batchId }, context) {
    const request = { params: { batchId } };
    const batch = await context.client.getRenderBatch(request, callOptions(context));
    const jobs = batch.jobs.flatMap(({ jobId, projectId }) =>
      projectId === undefined ? [] : [{ jobId, projectId }],
    );
    return readBatchIds(sentCall, { batchId, jobs: itemsOf(jobs) }, formatIsoTime(context.now()));
  },
});

function readBatchIds(
  { assets, body }: ParsedCall<'createRenders'>,
  { batchId, jobs }: Pick<ResponseTo<'createRenders'>, 'batchId' | 'jobs'>,
  submittedAt: string,
): IdsByAsset {
  const idOf = new Map(jobs.map(({ projectId, jobId }) => [projectId, jobId]));
  return assignIds(assets, (index) => {
    const jobId = idOf.get(body.projectIds[index] ?? '');
    return jobId === undefined ? null : { jobId, batchId, submittedAt, failedJob: false };
  });
}

export const renderRetry = defineCreation({
  operation: 'retryRenderJob',
  readIds: readRetryIds,
  renders: { requested: () => 1, started: () => null },
  /** Only a FAILED job can be retried, so any other status shows that the retry worked. The new batch id is unknown. */
  async findOutcome(sentCall, context) {
    const jobId = sentCall.params?.['jobId'] ?? '';
    const read = () => context.client.getRenderJob({ params: { jobId } }, callOptions(context));
    const job = await nullIfNotFound(read);
    if (job === null || job.status === 'FAILED') return { state: 'not-done' };
    return toCallOutcome(
      readRetryIds(sentCall, { jobId, batchId: '' }, formatIsoTime(context.now())),
    );
  },
});

function readRetryIds(
  { assets }: ParsedCall<'retryRenderJob'>,
  { jobId, batchId }: Pick<ResponseTo<'retryRenderJob'>, 'jobId' | 'batchId'>,
  submittedAt: string,
): IdsByAsset {
  // The render list cannot distinguish a retried job's outputs from those of the first attempt.
  const job = { jobId, batchId, submittedAt, failedJob: false, ownProject: false };
  return assignIds(assets, () => job);
}

function formatIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}
