// Activities that each send one request. API calls honour Retry-After and validate responses. POSTs have an idempotency
// key.
import { createWriteStream } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { z } from 'zod';
import { renderSettings } from '../settings.ts';

const CreatedModels = z.object({
  models: z.array(z.object({ modelId: z.string(), uploadUrl: z.string() })).min(1),
});
const ModelStatus = z.object({
  models: z.array(z.object({ status: z.string(), ready: z.boolean() })).min(1),
});
const CreatedProjects = z.object({ projects: z.array(z.object({ projectId: z.string() })).min(1) });
const CreatedRenders = z.object({ jobs: z.array(z.object({ jobId: z.string() })).min(1) });
const RenderJob = z.object({
  status: z.string(),
  errorMessage: z.string().nullish(),
  renders: z.array(z.object({ filePath: z.string() })).optional(),
});

export function createActivities(baseUrl: string, apiKey: string) {
  async function request<T extends z.ZodType>(
    schema: T,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<z.output<T>> {
    const { workflowExecution, activityId } = Context.current().info;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        'X-API-Key': apiKey,
        ...(method === 'POST'
          ? {
              'Content-Type': 'application/json',
              'Idempotency-Key': `${workflowExecution?.runId ?? ''}/${activityId}`,
            }
          : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    if (response.ok) return schema.parse(await response.json());
    throw failure(response.status, response.headers.get('retry-after'), await response.text());
  }

  return {
    async createModel(name: string) {
      const body = { models: [{ name, fileType: 'glb' }] };
      const { models } = await request(CreatedModels, 'POST', '/models', body);
      const [model] = models;
      if (!model) throw new Error('no model was created');
      return model;
    },
    async uploadFile(file: string, uploadUrl: string) {
      const body = await readFile(file);
      const response = await fetch(uploadUrl, { method: 'PUT', body });
      if (!response.ok) throw failure(response.status, null, await response.text());
    },
    async confirmModel(modelId: string) {
      await request(z.unknown(), 'POST', `/models/${modelId}/confirm`, { fileType: 'glb' });
    },
    async getModelStatus(modelId: string) {
      const body = { modelIds: [modelId] };
      const { models } = await request(ModelStatus, 'POST', '/models/status', body);
      return models[0] ?? { status: 'MISSING', ready: false };
    },
    async createProject(modelId: string, templateId: string) {
      const body = { modelIds: [modelId], templateId };
      const { projects } = await request(CreatedProjects, 'POST', '/projects', body);
      return projects[0]?.projectId ?? '';
    },
    async startRender(projectId: string) {
      const body = { projectIds: [projectId], settings: renderSettings };
      const { jobs } = await request(CreatedRenders, 'POST', '/renders', body);
      return jobs[0]?.jobId ?? '';
    },
    async getRender(jobId: string) {
      const job = await request(RenderJob, 'GET', `/renders/${jobId}`);
      const pictures = (job.renders ?? []).map(({ filePath }) => filePath);
      return { status: job.status, errorMessage: job.errorMessage, pictures };
    },
    async download(url: string, output: string) {
      const response = await fetch(url);
      if (!response.ok || !response.body) throw failure(response.status, null, 'no picture');
      await pipeline(response.body, createWriteStream(`${output}.part`));
      await rename(`${output}.part`, output);
    },
  };
}

function failure(status: number, retryAfter: string | null, text: string): ApplicationFailure {
  const isPermanent = status >= 400 && status < 500 && ![408, 409, 429].includes(status);
  const seconds = Number(retryAfter);
  return ApplicationFailure.create({
    message: `${status}: ${text.slice(0, 300)}`,
    type: `HTTP_${status}`,
    nonRetryable: isPermanent,
    ...(status === 429 && seconds > 0 ? { nextRetryDelay: seconds * 1_000 } : {}),
  });
}
