// Advances the job of a file through its pipeline: model, project, render.

import type { Sandbox } from '../context/sandbox.ts';
import { ApiFailure, fail } from '../http/failure.ts';
import { newProject } from '../projects/create-project.ts';
import { restartJob, submitRenders } from '../renders/submit.ts';
import type { PipelineJobRecord, PipelineRecord } from '../state/pipeline-records.ts';
import type { ModelRecord, RenderJobRecord } from '../state/records.ts';
import { isReady, modelStatus, modelStatusItem } from '../status/models.ts';
import { hasEnded, renderJobStatus } from '../status/renders.ts';
import { templateOf } from '../templates/templates.ts';
import { refuseOverLimit } from '../workspace/plan-limits.ts';
import { type PipelinePlan, planOf } from './plan.ts';

/** A pipeline stops after this many failures in a row. */
const maxFailures = 3;

interface Step {
  readonly sandbox: Sandbox;
  readonly pipeline: PipelineRecord;
  readonly job: PipelineJobRecord;
  readonly now: number;
}

/** Advances a job whose file is imported as far as currently possible. */
export function advancePipelineJob(step: Step): void {
  const { sandbox, pipeline, job, now } = step;
  const model = sandbox.store.models.get(job.modelId ?? '');
  if (!model) return end(step, 'FAILED', 'The model was deleted.');
  const { status } = modelStatusItem(model, now);
  if (status === 'PENDING' || status === 'ANALYZING') return undefined;
  if (!isReady(modelStatus(model, now))) {
    return end(step, 'FAILED', `Model ${model.id} is ${status}: ${model.file?.problem ?? ''}`);
  }
  const plan = planOf(pipeline.nodes);
  try {
    if (plan.createsProject) createProject(step, plan, model);
    if (!plan.settings) return end(step, 'COMPLETED');
    const render = startRender(step, plan);
    if (hasEnded(renderJobStatus(render, now))) endWith(step, render);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    retryOrFail(step, error.message);
  }
  return undefined;
}

/** Counts a failed attempt. @returns true for another attempt; false if the job has failed */
export function retryOrFail(step: Step, reason: string): boolean {
  const { sandbox, pipeline, job, now } = step;
  if (job.retryCount >= pipeline.maxRetries) {
    end(step, 'FAILED', reason);
    return false;
  }
  const retryCount = job.retryCount + 1;
  sandbox.store.pipelineJobs.update(job, { retryCount, lastError: reason, updatedAt: now });
  return true;
}

/** Counts a failed job or poll of a pipeline, which may stop it. Only a person can reactivate a stopped pipeline. */
export function countFailure({ store }: Sandbox, pipeline: PipelineRecord, now: number): void {
  const consecutiveFailures = pipeline.consecutiveFailures + 1;
  const stops = pipeline.status === 'ACTIVE' && consecutiveFailures >= maxFailures;
  store.pipelines.update(pipeline, {
    consecutiveFailures,
    ...(stops ? { status: 'ERROR', updatedAt: now } : {}),
  });
}

function createProject({ sandbox, job, now }: Step, plan: PipelinePlan, model: ModelRecord): void {
  const { store } = sandbox;
  if (job.projectId !== undefined) return;
  const { templateId } = plan;
  if (templateId !== undefined && !templateOf(store, templateId)) {
    fail('TEMPLATE_NOT_FOUND', `There is no template ${templateId}.`);
  }
  refuseOverLimit(sandbox, 'projects', 1);
  const project = newProject(sandbox, { name: model.name, models: [model], templateId }, now);
  store.pipelineJobs.update(job, { projectId: project.id, updatedAt: now });
}

function startRender({ sandbox, job, now }: Step, { settings = {} }: PipelinePlan) {
  const { store } = sandbox;
  const known = store.renderJobs.get(job.renderJobId ?? '');
  if (known) return known;
  const project = store.projects.get(job.projectId ?? '');
  if (!project) return fail('PROJECT_NOT_FOUND', 'The project was deleted.');
  const { jobs } = submitRenders(sandbox, [project], settings, now);
  const [render] = jobs;
  if (!render) throw new Error('A project gives one render job.');
  store.pipelineJobs.update(job, { renderJobId: render.id, updatedAt: now });
  return render;
}

function endWith(step: Step, render: RenderJobRecord): void {
  const { sandbox, now } = step;
  const status = renderJobStatus(render, now);
  if (status === 'COMPLETED') end(step, 'COMPLETED', undefined, render.outputIds.length);
  else if (status === 'CANCELLED') end(step, 'CANCELLED');
  else if (retryOrFail(step, render.failure ?? 'The render failed.'))
    restartJob(sandbox, render, now);
}

function end(
  { sandbox, pipeline, job, now }: Step,
  ended: NonNullable<PipelineJobRecord['ended']>,
  error?: string,
  renderOutputs = 0,
): void {
  const { store } = sandbox;
  store.pipelineJobs.update(job, {
    ended,
    renderOutputs,
    updatedAt: now,
    ...(error === undefined ? {} : { lastError: error }),
  });
  if (ended === 'FAILED') countFailure(sandbox, pipeline, now);
  if (ended === 'COMPLETED') store.pipelines.update(pipeline, { consecutiveFailures: 0 });
}
