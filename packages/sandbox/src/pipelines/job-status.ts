// The status of a file's way through a pipeline: a render job status (2.10), from its facts.
import type { RenderJobStatus } from 'renderline/api/operations/renders';
import { modelStatus } from '../models/state.ts';
import { renderJobStatus } from '../renders/state.ts';
import type { Store } from '../state/store.ts';
import type { PipelineJobRecord } from './records.ts';

/**
 * QUEUED until its model exists, INGESTING while the file is taken in, PROCESSING while the platform
 * works on the model, then RENDER_QUEUED until its render job has a status of its own.
 */
export function pipelineJobStatus(
  store: Store,
  job: PipelineJobRecord,
  now: number,
): RenderJobStatus {
  if (job.ended) return job.ended;
  const render = store.renderJobs.get(job.renderJobId ?? '');
  if (render) {
    const status = renderJobStatus(render, now);
    return status === 'QUEUED' ? 'RENDER_QUEUED' : status;
  }
  const model = store.models.get(job.modelId ?? '');
  if (!model) return 'QUEUED';
  const status = modelStatus(model, now);
  if (status === 'PENDING') return 'INGESTING';
  return status === 'ANALYZING' ? 'PROCESSING' : 'RENDER_QUEUED';
}
