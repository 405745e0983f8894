// Advances the job of a file through its pipeline: model, project and render.

import type { Sandbox } from '../context/sandbox.ts';
import { ApiFailure, fail } from '../http/failure.ts';
import { addProject } from '../projects/create-project.ts';
import { restartJob, submitRenders } from '../renders/submit.ts';
import type { PipelineJobRecord, PipelineRecord } from '../state/pipeline-records.ts';
import type { ModelRecord, RenderJobRecord } from '../state/records.ts';
import { isModelReady, modelStatusOf, toModelStatusItem } from '../status/models.ts';
import { isFinalStatus, renderJobStatus } from '../status/renders.ts';
import { findTemplate } from '../templates/templates.ts';
import { assertWithinLimit } from '../workspace/plan-limits.ts';
import { type PipelinePlan, planOf } from './plan.ts';

/** A pipeline stops after this many failures in a row. */
const maxFailures = 3;

interface Step {
  readonly sandbox: Sandbox;
  readonly pipeline: PipelineRecord;
  readonly job: PipelineJobRecord;
  readonly nowMs: number;
}

/** Advances a job whose file is imported as far as currently possible. */
export function advancePipelineJob(step: Step): void {
  const { sandbox, pipeline, job, nowMs } = step;
  const model = sandbox.store.models.get(job.modelId ?? '');
  if (!model) return end(step, 'FAILED', 'The model was deleted.');
  const { status } = toModelStatusItem(model, nowMs);
  if (status === 'PENDING' || status === 'ANALYZING') return undefined;
  if (!isModelReady(modelStatusOf(model, nowMs))) {
    return end(step, 'FAILED', `Model ${model.id} is ${status}: ${model.file?.problem ?? ''}`);
  }
  const plan = planOf(pipeline.nodes);
  try {
    if (plan.createsProject) createProject(step, plan, model);
    if (!plan.settings) return end(step, 'COMPLETED');
    const render = startRender(step, plan);
    if (isFinalStatus(renderJobStatus(render, nowMs))) endWith(step, render);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    retryOrFail(step, error.message);
  }
  return undefined;
}

/** Counts a failed attempt. @returns true for another attempt, false if the job has failed */
export function retryOrFail(step: Step, reason: string): boolean {
  const { sandbox, pipeline, job, nowMs } = step;
  if (job.retryCount >= pipeline.maxRetries) {
    end(step, 'FAILED', reason);
    return false;
  }
  const retryCount = job.retryCount + 1;
  sandbox.store.pipelineJobs.update(job, { retryCount, lastError: reason, updatedAt: nowMs });
  return true;
}

/** Counts a failed job or poll of a pipeline, which may stop it. Only a person can reactivate a stopped pipeline. */
export function countFailure({ store }: Sandbox, pipeline: PipelineRecord, nowMs: number): void {
  const consecutiveFailures = pipeline.consecutiveFailures + 1;
  const stops = pipeline.status === 'ACTIVE' && consecutiveFailures >= maxFailures;
  store.pipelines.update(pipeline, {
    consecutiveFailures,
    ...(stops ? { status: 'ERROR', updatedAt: nowMs } : {}),
  });
}

function createProject({ sandbox, job, nowMs }: Step, plan: PipelinePlan, model: ModelRecord) {
  const { store } = sandbox;
  if (job.projectId !== undefined) return;
  const { templateId } = plan;
  if (templateId !== undefined && !findTemplate(store, templateId)) {
    fail('TEMPLATE_NOT_FOUND', `The template ${templateId} does not exist.`);
  }
  assertWithinLimit(sandbox, 'projects', 1);
  const project = addProject(sandbox, { name: model.name, models: [model], templateId }, nowMs);
  store.pipelineJobs.update(job, { projectId: project.id, updatedAt: nowMs });
}

function startRender({ sandbox, job, nowMs }: Step, { settings = {} }: PipelinePlan) {
  const { store } = sandbox;
  const existingJob = store.renderJobs.get(job.renderJobId ?? '');
  if (existingJob) return existingJob;
  const project = store.projects.get(job.projectId ?? '');
  if (!project) return fail('PROJECT_NOT_FOUND', 'The project was deleted.');
  const { jobs } = submitRenders(sandbox, [project], settings, nowMs);
  const [render] = jobs;
  if (!render) throw new Error('A project produces one render job.');
  store.pipelineJobs.update(job, { renderJobId: render.id, updatedAt: nowMs });
  return render;
}

function endWith(step: Step, render: RenderJobRecord): void {
  const { sandbox, nowMs } = step;
  const status = renderJobStatus(render, nowMs);
  if (status === 'COMPLETED') end(step, 'COMPLETED', undefined, render.outputIds.length);
  else if (status === 'CANCELLED') end(step, 'CANCELLED');
  else if (retryOrFail(step, render.failure ?? 'The render failed.'))
    restartJob(sandbox, render, nowMs);
}

function end(
  { sandbox, pipeline, job, nowMs }: Step,
  outcome: NonNullable<PipelineJobRecord['ended']>,
  error?: string,
  renderOutputs = 0,
): void {
  const { store } = sandbox;
  store.pipelineJobs.update(job, {
    ended: outcome,
    renderOutputs,
    updatedAt: nowMs,
    ...(error === undefined ? {} : { lastError: error }),
  });
  if (outcome === 'FAILED') countFailure(sandbox, pipeline, nowMs);
  if (outcome === 'COMPLETED') store.pipelines.update(pipeline, { consecutiveFailures: 0 });
}
