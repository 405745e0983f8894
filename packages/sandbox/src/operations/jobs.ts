import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import { fail, refuseInput } from '../http/failure.ts';
import { advanceJob, isRenderRequested, toJobBody, toJobUploads } from '../jobs/unified-job.ts';
import { confirmUpload, createModels } from '../models/create-model.ts';
import { checkSizes } from '../renders/size.ts';
import { findTemplate } from '../templates/templates.ts';
import { assertWithinLimit, assertWithinStorage } from '../workspace/plan-limits.ts';
import { checkCallbackUrl } from './callback-url.ts';

export const jobs = {
  createJob: async ({ body, origin, nowMs }, sandbox) => {
    const { store, stats } = sandbox;
    const { templateId, renderSettings, webhookUrl, createProjects = true } = body;
    if (isRenderRequested(renderSettings)) {
      if (templateId === undefined) {
        refuseInput('templateId: required when bookmarks or shots are rendered');
      }
      if (!createProjects) {
        refuseInput('createProjects: must not be false, because rendering needs projects');
      }
      checkSizes(renderSettings ?? {});
    }
    if (templateId !== undefined && !findTemplate(store, templateId)) {
      fail('TEMPLATE_NOT_FOUND', `The template ${templateId} does not exist.`);
    }
    if (webhookUrl !== undefined) await checkCallbackUrl(sandbox, 'webhookUrl', webhookUrl);
    assertWithinLimit(sandbox, 'models', body.models.length);
    assertWithinStorage(sandbox);
    const { models, errors } = createModels(sandbox, body.models, nowMs);
    if (models.length === 0) refuseInput(`models: ${errors.join('; ')}`);
    stats.created('jobs');
    const job = store.jobs.insert({
      id: store.newId('job'),
      modelIds: models.map(({ id }) => id),
      fileNames: Object.fromEntries(models.map(({ id, name, fileName = name }) => [id, fileName])),
      errors: errors.length > 0 ? errors : undefined,
      createProjects,
      templateId,
      renderSettings,
      webhookUrl,
      status: 'AWAITING_UPLOADS',
    });
    return {
      jobId: job.id,
      status: job.status,
      models: toJobUploads(sandbox, job, origin),
      ...(errors.length > 0 ? { errors } : {}),
    };
  },

  confirmJobUploads: ({ params, nowMs }, sandbox) => {
    const { store } = sandbox;
    const job = requireRecord(store.jobs, params.jobId, 'job', 'JOB_NOT_FOUND');
    if (job.status !== 'AWAITING_UPLOADS') {
      fail(
        'INVALID_STATUS',
        `Job ${job.id} is ${job.status}; its uploads have already been confirmed.`,
      );
    }
    const landed = job.modelIds
      .flatMap((id) => store.models.get(id) ?? [])
      .filter((model) => model.file && !model.file.tooLarge);
    if (landed.length === 0) {
      fail('FILE_NOT_UPLOADED', `Job ${job.id}: none of its files was uploaded.`);
    }
    for (const model of landed) confirmUpload(sandbox, model, nowMs);
    store.jobs.update(job, { status: 'PROCESSING' });
    return { jobId: job.id, status: job.status, modelsConfirmed: landed.length };
  },

  getJob: ({ params, origin, nowMs }, sandbox) => {
    const job = requireRecord(sandbox.store.jobs, params.jobId, 'job', 'JOB_NOT_FOUND');
    const statusBefore = job.status;
    advanceJob(sandbox, job, nowMs);
    const status = toJobBody(sandbox, job, origin, nowMs);
    if (job.status !== statusBefore) sandbox.events.jobEnded(job, status.results ?? [], nowMs);
    return status;
  },
} satisfies Partial<Handlers>;
