// Unified jobs. A job advances by at most one phase each time it is read, never on its own.

import type { Job, JobResult } from 'renderline/api/operations/jobs';
import type { RenderSettings } from 'renderline/api/operations/renders';
import type { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import { nameOfFile } from '../files/file-names.ts';
import { ApiFailure } from '../http/failure.ts';
import { addProject } from '../projects/create-project.ts';
import { submitRenders } from '../renders/submit.ts';
import type { JobRecord, ModelRecord } from '../state/records.ts';
import { isModelReady, modelStatusOf } from '../status/models.ts';
import { outputKeyOf, renderJobStatus } from '../status/renders.ts';
import { assertWithinLimit } from '../workspace/plan-limits.ts';

/** True if the settings explicitly request a render, because a job renders only then. Defaults do not count. */
export function isRenderRequested(settings: RenderSettings | undefined): boolean {
  return settings?.renderBookmarks === true || settings?.renderShots === true;
}

/** Advances a job by one phase if its current phase is over. */
export function advanceJob(sandbox: Sandbox, job: JobRecord, nowMs: number): void {
  const patch = enterNextPhase(sandbox, job, nowMs);
  if (patch) sandbox.store.jobs.update(job, patch);
}

type JobUpdate = { readonly [Field in keyof JobRecord]?: JobRecord[Field] | undefined };

function enterNextPhase(sandbox: Sandbox, job: JobRecord, nowMs: number): JobUpdate | undefined {
  try {
    if (job.status === 'PROCESSING') return updateAfterProcessing(sandbox, job, nowMs);
    if (job.status === 'CREATING_PROJECTS') return updateAfterProjects(sandbox, job, nowMs);
    if (job.status === 'RENDERING') return updateAfterRendering(sandbox, job, nowMs);
    return undefined;
  } catch (error) {
    if (error instanceof ApiFailure) return { status: 'FAILED', error: error.message };
    throw error;
  }
}

function updateAfterProcessing(
  sandbox: Sandbox,
  job: JobRecord,
  nowMs: number,
): JobUpdate | undefined {
  const models = modelsOf(sandbox, job);
  for (const model of models) {
    const status = modelStatusOf(model, nowMs);
    const hasFile = model.file && !model.file.tooLarge;
    if (hasFile && !['FAILED', 'MODEL_REJECTED', 'MODEL_REQUIRED'].includes(status)) continue;
    const reason = hasFile ? `is ${status}` : 'has no usable file';
    return { status: 'FAILED', error: `Model ${model.id} (${model.name}) ${reason}.` };
  }
  if (models.length < job.modelIds.length)
    return { status: 'FAILED', error: 'A model was deleted.' };
  if (!models.every((model) => isModelReady(modelStatusOf(model, nowMs)))) return undefined;
  if (!job.createProjects) return { status: 'COMPLETE' };
  assertWithinLimit(sandbox, 'projects', models.length);
  const batchProject = groupingOf(sandbox, job);
  const projects = models.map((model) => {
    const name = nameOfFile(job.fileNames[model.id] ?? model.name);
    const { templateId } = job;
    const plan = { name, models: [model], templateId, batchProjectId: batchProject?.id };
    return [model.id, addProject(sandbox, plan, nowMs).id] as const;
  });
  return {
    status: 'CREATING_PROJECTS',
    projects: Object.fromEntries(projects),
    batchProject,
  };
}

/** The projects of several models with a template are grouped in a batch project. */
function groupingOf({ store }: Sandbox, job: JobRecord): JobRecord['batchProject'] {
  if (job.modelIds.length < 2 || job.templateId === undefined) return undefined;
  return { id: store.newId('batch project'), title: `${job.modelIds.length} projects` };
}

function updateAfterProjects(sandbox: Sandbox, job: JobRecord, nowMs: number): JobUpdate {
  if (!isRenderRequested(job.renderSettings)) return { status: 'COMPLETE' };
  const ids = Object.values(job.projects ?? {});
  const projects = ids.flatMap((id) => sandbox.store.projects.get(id) ?? []);
  if (projects.length < ids.length) return { status: 'FAILED', error: 'A project was deleted.' };
  const { jobs } = submitRenders(sandbox, projects, job.renderSettings ?? {}, nowMs);
  return {
    status: 'RENDERING',
    renderJobs: Object.fromEntries(jobs.map(({ id, projectId }) => [projectId, id])),
  };
}

function updateAfterRendering(
  sandbox: Sandbox,
  job: JobRecord,
  nowMs: number,
): JobUpdate | undefined {
  const ids = Object.values(job.renderJobs ?? {});
  const renders = ids.flatMap((id) => sandbox.store.renderJobs.get(id) ?? []);
  const statuses = renders.map((render) => renderJobStatus(render, nowMs));
  const bad = statuses.findIndex((status) => status === 'FAILED' || status === 'CANCELLED');
  if (bad >= 0) {
    return { status: 'FAILED', error: `Render job ${renders[bad]?.id} is ${statuses[bad]}.` };
  }
  if (renders.length < ids.length) return { status: 'FAILED', error: 'A project was deleted.' };
  return statuses.every((status) => status === 'COMPLETED') ? { status: 'COMPLETE' } : undefined;
}

function modelsOf({ store }: Sandbox, job: JobRecord): ModelRecord[] {
  return job.modelIds.flatMap((id) => store.models.get(id) ?? []);
}

/** Returns the uploads of a job. Their links expire together with those of the create response. */
export function toJobUploads(sandbox: Sandbox, job: JobRecord, origin: string) {
  return modelsOf(sandbox, job).map((model) => ({
    id: model.id,
    fileName: job.fileNames[model.id] ?? model.name,
    uploadUrl: sandbox.links.sign('PUT', origin, model.uploadKey, model.createdAt),
    uploadKey: model.uploadKey,
  }));
}

/** Creates the response body of a job. */
export function toJobBody(
  sandbox: Sandbox,
  job: JobRecord,
  origin: string,
  nowMs: number,
): z.input<typeof Job> {
  const models = modelsOf(sandbox, job);
  const renderJobs = Object.values(job.renderJobs ?? {}).flatMap(
    (id) => sandbox.store.renderJobs.get(id) ?? [],
  );
  const total = job.modelIds.length;
  return {
    jobId: job.id,
    status: job.status,
    models: toJobUploads(sandbox, job, origin),
    errors: job.errors && [...job.errors],
    progress: {
      modelsUploaded: models.filter((model) => model.file).length,
      modelsReady: models.filter((model) => isModelReady(modelStatusOf(model, nowMs))).length,
      modelsTotal: total,
      projectsCreated: Object.keys(job.projects ?? {}).length,
      projectsTotal: job.createProjects ? total : 0,
      rendersComplete: renderJobs.filter((render) => renderJobStatus(render, nowMs) === 'COMPLETED')
        .length,
      rendersTotal: isRenderRequested(job.renderSettings) ? total : 0,
    },
    batchProject: job.batchProject,
    results: job.status === 'COMPLETE' ? toJobResults(sandbox, job, origin) : undefined,
    error: job.error,
  };
}

function toJobResults(
  sandbox: Sandbox,
  job: JobRecord,
  origin: string,
): z.input<typeof JobResult>[] {
  const { store, renders } = sandbox;
  return modelsOf(sandbox, job).map((model) => {
    const project = store.projects.get(job.projects?.[model.id] ?? '');
    const render = project && store.renderJobs.get(job.renderJobs?.[project.id] ?? '');
    const outputs = render && renders.ofJob(render);
    return {
      model: { id: model.id, name: model.name },
      project: project && { id: project.id, name: project.name },
      renders: outputs?.map(({ output }) => ({
        id: output.id,
        imageUrl: `${origin}/cdn/${outputKeyOf(output)}`,
        fileType: output.format,
      })),
    };
  });
}
