// Computes the status of a pipeline job, which is a render job status, from its stored facts.
import type { RenderJobStatus } from 'renderline/api/operations/renders';
import type { PipelineJobRecord } from '../state/pipeline-records.ts';
import type { Store } from '../state/store.ts';
import { modelStatusOf } from './models.ts';
import { renderJobStatus } from './renders.ts';

/**
 * Returns QUEUED until its model exists, INGESTING while the file is imported, PROCESSING while the model is processed,
 * RENDER_QUEUED until its render job leaves the queue, then that job's status. An ended job keeps its last status.
 */
export function computePipelineJobStatus(
  store: Store,
  job: PipelineJobRecord,
  nowMs: number,
): RenderJobStatus {
  if (job.ended) return job.ended;
  const render = store.renderJobs.get(job.renderJobId ?? '');
  if (render) {
    const status = renderJobStatus(render, nowMs);
    return status === 'QUEUED' ? 'RENDER_QUEUED' : status;
  }
  const model = store.models.get(job.modelId ?? '');
  if (!model) return 'QUEUED';
  const status = modelStatusOf(model, nowMs);
  if (status === 'PENDING') return 'INGESTING';
  return status === 'ANALYZING' ? 'PROCESSING' : 'RENDER_QUEUED';
}
