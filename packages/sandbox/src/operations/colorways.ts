import { retryJob, startBatch } from '../colorways/batch.ts';
import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import { fail } from '../http/failure.ts';
import { colorwayJobStatusOf, toColorwayBatch } from '../status/colorways.ts';

export const colorways = {
  createColorwayBatch: ({ body, nowMs }, sandbox) => {
    const { batch, warnings } = startBatch(sandbox, body, nowMs);
    return { batchId: batch.id, totalJobs: batch.jobIds.length, warnings };
  },

  getColorwayBatch: ({ params, nowMs }, sandbox) => {
    const batch = requireRecord(sandbox.store.colorwayBatches, params['batchId'], 'colorway batch');
    const jobs = batch.jobIds.flatMap((id) => sandbox.store.colorwayJobs.get(id) ?? []);
    return toColorwayBatch(batch, jobs, nowMs);
  },

  retryColorwayJob: ({ params, nowMs }, sandbox) => {
    const batch = requireRecord(sandbox.store.colorwayBatches, params['batchId'], 'colorway batch');
    const job = sandbox.store.colorwayJobs.get(params['jobId'] ?? '');
    if (job?.batchId !== batch.id) {
      return fail('JOB_NOT_FOUND', `Batch ${batch.id} has no colorway job ${params['jobId']}.`);
    }
    retryJob(sandbox, job, nowMs);
    const status = colorwayJobStatusOf(job, nowMs);
    return { jobId: job.id, batchId: batch.id, status, retryCount: job.retryCount };
  },
} satisfies Partial<Handlers>;
