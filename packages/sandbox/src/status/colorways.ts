// Computes statuses and response bodies of colorway jobs and batches from their stored facts.

import type {
  ColorwayBatch,
  ColorwayBatchStatus,
  ColorwayJob,
  ColorwayJobStatus,
} from 'renderline/api/operations/colorways';
import type { z } from 'zod';
import type { ColorwayBatchRecord, ColorwayJobRecord } from '../state/colorway-records.ts';

/** Returns the status at a time: queued, swapping, then complete or failed. */
export function colorwayJobStatusOf(job: ColorwayJobRecord, nowMs: number): ColorwayJobStatus {
  if (nowMs < job.swapAt) return 'queued';
  if (nowMs < job.endAt) return 'swapping';
  return job.failure === undefined ? 'complete' : 'failed';
}

/** A batch is running while one of its jobs is. Without jobs it is complete. */
export function batchStatusOf(statuses: readonly ColorwayJobStatus[]): ColorwayBatchStatus {
  if (statuses.some((status) => status === 'queued' || status === 'swapping')) return 'in_progress';
  if (statuses.every((status) => status === 'complete')) return 'complete';
  return statuses.every((status) => status === 'failed') ? 'failed' : 'partial_failure';
}

export function toColorwayJob(job: ColorwayJobRecord, nowMs: number): z.input<typeof ColorwayJob> {
  const status = colorwayJobStatusOf(job, nowMs);
  return {
    id: job.id,
    batchId: job.batchId,
    colorwayDefinitionId: job.definitionId,
    baseModelId: job.modelId,
    status,
    retryCount: job.retryCount,
    errorMessage: status === 'failed' ? (job.failure ?? null) : null,
  };
}

export function toColorwayBatch(
  batch: ColorwayBatchRecord,
  jobs: readonly ColorwayJobRecord[],
  nowMs: number,
): z.input<typeof ColorwayBatch> {
  const statuses = jobs.map((job) => colorwayJobStatusOf(job, nowMs));
  const count = (status: ColorwayJobStatus) =>
    statuses.filter((jobStatus) => jobStatus === status).length;
  return {
    id: batch.id,
    status: batchStatusOf(statuses),
    totalJobs: jobs.length,
    completedJobs: count('complete'),
    failedJobs: count('failed'),
    swapRules: [...batch.swapRules],
    modelScope: batch.modelScope,
    jobs: jobs.map((job) => toColorwayJob(job, nowMs)),
    createdAt: new Date(batch.createdAt).toISOString(),
  };
}
