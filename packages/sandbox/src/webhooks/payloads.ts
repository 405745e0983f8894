// Builds the bodies of notifications.
import type { WebhookEvent } from 'renderline/api/operations/webhooks';
import type { JobRecord, ModelRecord, ProjectRecord, RenderJobRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';
import {
  isModelReady,
  modelStatusOf,
  modelThumbnailKeyOf,
  toModelDetail,
  toModelStatusItem,
} from '../status/models.ts';
import { projectSummary } from '../status/projects.ts';
import { renderJobStatus } from '../status/renders.ts';

export interface EventPayload {
  readonly event: WebhookEvent;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns the event of a model that is ready or has failed by now, or undefined for every other status. */
export function createModelEvent(
  model: ModelRecord,
  origin: string,
  nowMs: number,
): EventPayload | undefined {
  const { modelId, name, status, error } = toModelStatusItem(model, nowMs);
  if (status === 'FAILED') return { event: 'model.failed', data: { modelId, name, status, error } };
  if (!isModelReady(modelStatusOf(model, nowMs))) return undefined;
  const { glbFilePath } = toModelDetail(model, origin, nowMs);
  const thumbnailUrl = `${origin}/cdn/${modelThumbnailKeyOf(model)}`;
  const data = { modelId, name, status: 'READY', glbFilePath, thumbnailUrl };
  return { event: 'model.processed', data };
}

/** Returns the event of an ended render job, or undefined for open and cancelled jobs. */
export function renderEvent(job: RenderJobRecord, nowMs: number): EventPayload | undefined {
  const { id: jobId, projectId, outputIds, failure } = job;
  const status = renderJobStatus(job, nowMs);
  if (status === 'COMPLETED') {
    const data = { jobId, status, projectId, renderIds: [...outputIds] };
    return { event: 'render.complete', data };
  }
  if (status !== 'FAILED') return undefined;
  return { event: 'render.failed', data: { jobId, status, projectId, errorMessage: failure } };
}

export function projectEvent(project: ProjectRecord): EventPayload {
  return { event: 'project.created', data: projectSummary(project) };
}

/** Creates the webhook event of an ended job. Undefined before its end. Results have models and projects only. */
export function createJobEvent(store: Store, job: JobRecord): EventPayload | undefined {
  const { id: jobId, status, error } = job;
  if (status === 'FAILED') return { event: 'job.failed', data: { jobId, status, error } };
  if (status !== 'COMPLETE') return undefined;
  const results = job.modelIds.flatMap((modelId) => {
    const model = store.models.get(modelId);
    const project = store.projects.get(job.projects?.[modelId] ?? '');
    if (!model) return [];
    return {
      model: { id: model.id, name: model.name },
      project: project && { id: project.id, name: project.name },
    };
  });
  return { event: 'job.complete', data: { jobId, status, results } };
}

/** Formats the body of a workspace notification. @param atMs time of the event, epoch milliseconds */
export function formatEnvelope({ event, data }: EventPayload, atMs: number): string {
  return JSON.stringify({ event, timestamp: new Date(atMs).toISOString(), data });
}
